# ruff: noqa: E501  # a message is one line, however long
from __future__ import annotations

from typing import TYPE_CHECKING

from inline_snapshot import snapshot

if TYPE_CHECKING:
    from tests.config.conftest import Problems


def test_a_slot_that_does_not_fit_its_type_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          a: {type: mony}
          b: {type: thing}
          c: {type: choice}
          d: {type: text, options: [x]}
          e: {type: text, items: money}
          f: {type: list, items: list}
          g: {type: list, items: nmber}
          h: {type: choice, options: {big: [large], small: [Large]}}
          i: {type: choice, options: [Big, big]}
          j: {type: choice, options: big}
          k: {type: choice, options: [[big], {small: x}]}
          l: {type: choice, options: {big: large}}
          m: {type: choice, options: {big: {label: "{size"}}}
        flows:
          hello: {steps: [{say: Hello}]}
        """) == snapshot(
        [
            "bot.yaml:2:13: there is no slot type 'mony'. Did you mean 'money'?",
            "bot.yaml:3:13: there is no slot type 'thing'. There are boolean, choice, date, datetime, duration, email, iban, integer, list, money, number, phone, text, time.",
            "bot.yaml:4:13: a choice needs 'options: …', the values it can have.",
            "bot.yaml:5:28: 'options' belongs to a slot of type choice.",
            "bot.yaml:6:26: 'items' belongs to a slot of type list.",
            "bot.yaml:7:26: a list holds plain values, not lists or choices.",
            "bot.yaml:8:26: there is no slot type 'nmber'. Did you mean 'number'?",
            "bot.yaml:9:30: the options cannot be told apart: 'Large' would mean both 'big' and 'small'.",
            "bot.yaml:10:30: the options cannot be told apart: 'big' would mean both 'Big' and 'big'.",
            "bot.yaml:11:30: 'options' of slot 'j' must be a map, not 'big'.",
            "bot.yaml:12:31: an option is a word; quote it, or write a map of options to their other words.",
            "bot.yaml:13:36: write other words for an option as a list: [large].",
            "bot.yaml:14:44: the text has a single '{'; write '{{' for a brace that should be shown.",
        ]
    )


def test_a_name_must_be_a_word(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          first-name: {type: text}
          "2nd": {type: text}
          true: {type: boolean}
          and: {type: boolean}
        flows:
          say hello: {steps: [{say: Hello}]}
        """) == snapshot(
        [
            "bot.yaml:2:3: slot 'first-name' needs a name of letters, digits and underscores.",
            "bot.yaml:3:3: slot '2nd' needs a name of letters, digits and underscores.",
            "bot.yaml:4:3: slot 'true' cannot have that name: it means something in expressions.",
            "bot.yaml:5:3: slot 'and' cannot have that name: it means something in expressions.",
            "bot.yaml:7:3: flow 'say hello' needs a name of letters, digits and underscores.",
        ]
    )


def test_an_example_must_be_a_value_of_the_slot(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          amount: {type: money, examples: ["10 euros", 5, lots]}
          size: {type: choice, options: [big, small], examples: [big, enormous]}
        flows:
          hello: {steps: [{say: Hello}]}
        """) == snapshot(
        [
            "bot.yaml:2:51: slot 'amount' is of type money and cannot have 'lots' as an example: not an amount.",
            "bot.yaml:3:63: slot 'size' is of type choice and cannot have 'enormous' as an example: none of the options.",
        ]
    )


def test_an_expression_that_cannot_be_read_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          amount: {type: money, validate: "amount = 3"}
          a: {type: boolean}
          b: {type: boolean, validate: "b &&"}
          n: {type: integer, validate: "n >"}
        flows:
          hello:
            if: "a && b"
            steps:
              - {collect: a, if: "amount = 3"}
              - {collect: b, if: "a || b"}
              - {say: Hello, if: "!a"}
              - {say: Hello, if: "a.real"}
              - {say: Hello, if: "a[0]"}
              - {say: Hello, if: "lenght(a) > 1"}
              - {say: Hello, if: "open('x')"}
              - {say: Hello, if: "(a and b"}
              - {say: Hello, if: "a and"}
              - {say: Hello, if: "a is set"}
              - {say: Hello, if: ""}
              - {say: Hello, if: }
              - {say: Hello, if: "n ** 2 > 3"}
              - {say: Hello, if: "[x for x in a]"}
              - {say: Hello, if: "{a: 1}"}
              - {say: Hello, if: "a AND b"}
              - {say: Hello, if: "a != b and c = 2"}
              - {say: Hello, if: "a.lower() == 'x'"}
              - {say: Hello, if: "len(a, key=2)"}
              - {say: Hello, if: "a <> b"}
              - {say: Hello, if: "a => b"}
              - {say: Hello, if: "amount > €5"}
              - {say: Hello, if: "f'{a}'"}
              - {set: {n: 1}, compute: {n: "n +"}}
              - {while: "a = b", do: [{say: Hello}]}
              - {step: way, type: branch, cases: [{when: "a = 1", then: end}]}
        """) == snapshot(
        [
            "bot.yaml:2:35: 'amount = 3' is not an expression: write '==' to compare.",
            "bot.yaml:4:32: 'b &&' is not an expression: write 'and' instead of '&&'.",
            "bot.yaml:5:32: 'n >' is not an expression: its end is missing.",
            "bot.yaml:8:9: 'a && b' is not an expression: write 'and' instead of '&&'.",
            "bot.yaml:10:26: 'amount = 3' is not an expression: write '==' to compare.",
            "bot.yaml:11:26: 'a || b' is not an expression: write 'or' instead of '||'.",
            "bot.yaml:12:26: '!a' is not an expression: write 'not' instead of '!'.",
            "bot.yaml:13:26: 'a.real' uses '.real', which expressions do not have.",
            "bot.yaml:14:26: 'a[0]' uses an index in brackets, which expressions do not have.",
            "bot.yaml:15:26: 'lenght(a) > 1' calls 'lenght', which expressions do not have. Did you mean 'len'?",
            "bot.yaml:16:26: 'open('x')' calls 'open', which expressions do not have. There are abs, len, lower, max, min, round, upper.",
            "bot.yaml:17:26: '(a and b' is not an expression: '(' was never closed.",
            "bot.yaml:18:26: 'a and' is not an expression: its end is missing.",
            "bot.yaml:19:26: flow 'hello', step 'say_8' reads the slot 'set', which is not declared. Declare it under 'slots:'.",
            "bot.yaml:20:26: '' is not an expression: it is empty.",
            "bot.yaml:22:26: 'n ** 2 > 3' uses '**', which expressions do not have.",
            "bot.yaml:23:26: '[x for x in a]' uses a comprehension or a lambda, which expressions do not have.",
            "bot.yaml:24:26: '{a: 1}' uses braces, which expressions do not have.",
            "bot.yaml:25:26: 'a AND b' is not an expression: write 'and' instead of 'AND'.",
            "bot.yaml:26:26: 'a != b and c = 2' is not an expression: write '==' to compare.",
            "bot.yaml:27:26: 'a.lower() == 'x'' uses '.lower' (write lower(…)), which expressions do not have.",
            "bot.yaml:28:26: 'len(a, key=2)' does not call a function by its name, with plain values.",
            "bot.yaml:29:26: 'a <> b' is not an expression: write '!=' instead of '<>'.",
            "bot.yaml:30:26: 'a => b' is not an expression: write '>=' instead of '=>'.",
            "bot.yaml:31:26: 'amount > €5' is not an expression: invalid character '€' (U+20AC).",
            "bot.yaml:32:26: 'f'{a}'' uses a text with fields, which expressions do not have.",
            "bot.yaml:33:36: 'n +' is not an expression: its end is missing.",
            "bot.yaml:34:17: 'a = b' is not an expression: write '==' to compare.",
            "bot.yaml:35:50: 'a = 1' is not an expression: write '==' to compare.",
        ]
    )


def test_an_expression_over_the_wrong_slots_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          amount: {type: money}
          name: {type: text, validate: "name > 5"}
          size: {type: choice, options: [big, small]}
          day: {type: date}
          n: {type: integer, validate: "m > 1"}
        flows:
          hello:
            steps:
              - {collect: amount, validate: "amont > 3"}
              - {collect: name, if: "amount > 'ten'"}
              - {collect: size, if: "zzz"}
              - {collect: day, if: "name - 1 > 0"}
              - {collect: n, if: "day > '2026-01-01'"}
              - {say: Hello, if: "size == 'bigg'"}
              - {say: Hello, if: "len(n) > 1"}
              - {say: Hello, if: "abs(1, 2) > 1"}
              - {say: Hello, if: "n / 0 > 1"}
              - {say: Hello, if: "name == 5"}
              - {set: {}, compute: {n: "m + 1", m: "n + 1"}}
              - {while: "n < name", do: [{say: Hello}]}
              - {step: way, type: branch, cases: [{when: "a == 1", then: end}]}
        """) == snapshot(
        [
            "bot.yaml:3:32: slot 'name': 'name > 5' does not work with a text and a number. Check what kinds of values it is given.",
            "bot.yaml:6:32: slot 'n' reads the slot 'm', which is not declared. Declare it under 'slots:'.",
            "bot.yaml:10:37: flow 'hello', step 'collect_amount' reads the slot 'amont', which is not declared. Did you mean 'amount'?",
            "bot.yaml:11:29: flow 'hello', step 'collect_name': 'amount > 'ten'' does not work with money and a text. Check what kinds of values it is given.",
            "bot.yaml:12:29: flow 'hello', step 'collect_size' reads the slot 'zzz', which is not declared. Declare it under 'slots:'.",
            "bot.yaml:13:28: flow 'hello', step 'collect_day': 'name - 1' does not work with a text and a number. Check what kinds of values it is given.",
            "bot.yaml:14:26: flow 'hello', step 'collect_n': 'day > '2026-01-01'' does not work with a date and a text. Check what kinds of values it is given.",
            "bot.yaml:16:26: flow 'hello', step 'say_2': 'len(n)' does not work with a number. Check what kinds of values it is given.",
            "bot.yaml:17:26: flow 'hello', step 'say_3': 'abs(1, 2)' does not work with a number. Check what kinds of values it is given.",
            "bot.yaml:19:26: flow 'hello', step 'say_5': 'name == 5' does not work with a text and a number. Check what kinds of values it is given.",
            "bot.yaml:20:32: flow 'hello', step 'set' reads the slot 'm', which is not declared. Declare it under 'slots:'.",
            "bot.yaml:20:44: flow 'hello', step 'set' names the slot 'm', which is not declared. Declare it under 'slots:'.",
            "bot.yaml:21:17: flow 'hello', step 'while': 'n < name' does not work with a number and a text. Check what kinds of values it is given.",
            "bot.yaml:22:50: flow 'hello', step 'way' reads the slot 'a', which is not declared. Declare it under 'slots:'.",
        ]
    )


def test_a_text_with_wrong_braces_is_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          amount: {type: money, message: "How much {?", error: {en: "No", es: "No {a.b}"}}
          name: {type: text}
        texts:
          denied: "No }"
        flows:
          hello:
            trigger: {intents: [hello, "hello {name", "hi {name.first}"]}
            steps:
              - {collect: amount, message: "How much, {name"}
              - say:
                  en: Hello
                  es:
                    - Hola
                    - "Hola {}"
              - {say: "Hello {name!r}"}
              - {say: "Hello {name.first}"}
              - {say: "Hello {name[0]}"}
              - {say: Hello, options: [Yes, "No {"], wait_for_ack: true}
              - {say: {english: Hello}}
              - {say: {}}
              - {say: []}
              - {say: {en: }}
              - {say: {name}}
              - {say: [[Hello]]}
              - {say: {en: {formal: Hello}}}
              - {say: {en: Hello, es: [], fr: "{"}}
        """) == snapshot(
        [
            "bot.yaml:2:34: the text has a single '{'; write '{{' for a brace that should be shown.",
            "bot.yaml:2:71: the text has '{a.b}'; only {slot} and {slot:format} can stand in braces.",
            "bot.yaml:5:11: the text has a single '}'; write '}}' for a brace that should be shown.",
            "bot.yaml:8:32: the phrase 'hello {name' has a single '{'; write '{{' for a brace that should be shown.",
            "bot.yaml:8:47: the phrase 'hi {name.first}' has '{name.first}'; only {slot} and {slot:format} can stand in braces.",
            "bot.yaml:10:36: the text has a single '{'; write '{{' for a brace that should be shown.",
            "bot.yaml:15:15: the text has '{}'; only {slot} and {slot:format} can stand in braces.",
            "bot.yaml:16:15: the text has '{name!r}'; only {slot} and {slot:format} can stand in braces.",
            "bot.yaml:17:15: the text has '{name.first}'; only {slot} and {slot:format} can stand in braces.",
            "bot.yaml:18:15: the text has '{name[0]}'; only {slot} and {slot:format} can stand in braces.",
            "bot.yaml:19:37: the text has a single '{'; write '{{' for a brace that should be shown.",
            "bot.yaml:20:15: the text has 'english' where a language such as 'en' or 'es' belongs.",
            "bot.yaml:21:15: the text is an empty map; write a text for at least one language.",
            "bot.yaml:22:15: the text is an empty list; write at least one variation.",
            "bot.yaml:23:20: the text is empty; quote a text that begins with '{'.",
            "bot.yaml:24:20: the text is empty; quote a text that begins with '{'.",
            "bot.yaml:25:15: the text must be a string, a list of variations, or a map by language.",
            "bot.yaml:26:20: the text has 'formal' where a language such as 'en' or 'es' belongs.",
            "bot.yaml:27:31: the text is an empty list; write at least one variation.",
            "bot.yaml:27:39: the text has a single '{'; write '{{' for a brace that should be shown.",
        ]
    )


def test_a_text_that_shows_what_it_cannot_is_told_at_its_language(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          amount: {type: money, message: "How much, {nmae}?"}
          name: {type: text, error: {en: "No {name}", es: "No {nombre}"}}
          day: {type: date}
        texts:
          denied: "No {amount}"
          ask: "{what}, {who}?"
        flows:
          hello:
            trigger: {intents: ["hello {nam}"]}
            steps:
              - collect: name
              - collect: day
              - collect: amount
              - say:
                  en: "Hello {name}"
                  es:
                    - "Hola {name}"
                    - "Hola {nombre}, {day:lnog}"
              - {say: "{name:long}"}
              - {say: "{day:uper}", options: ["{x}"], wait_for_ack: true}
        """) == snapshot(
        [
            "bot.yaml:2:34: slot 'amount' shows the slot 'nmae', which is not declared. Did you mean 'name'?",
            "bot.yaml:3:51: slot 'name' shows the slot 'nombre', which is not declared. Did you mean 'name'?",
            "bot.yaml:6:11: the text 'denied' shows 'amount', which it does not have. It can show no slots.",
            "bot.yaml:7:8: the text 'ask' shows 'who', which it does not have. It can show what.",
            "bot.yaml:10:25: flow 'hello' has a phrase with the slot 'nam', which is not declared. Did you mean 'name'?",
            "bot.yaml:19:15: flow 'hello', step 'say' shows the slot 'nombre', which is not declared. Did you mean 'name'?",
            "bot.yaml:19:15: flow 'hello', step 'say' shows 'day' in the format 'lnog', which date does not have. Did you mean 'long'?",
            "bot.yaml:20:15: flow 'hello', step 'say_2' shows 'name' in the format 'long', which text does not have. There are lower, title, upper.",
            "bot.yaml:21:15: flow 'hello', step 'say_3' shows 'day' in the format 'uper', which date does not have. Did you mean 'upper'?",
            "bot.yaml:21:39: flow 'hello', step 'say_3' shows the slot 'x', which is not declared. Declare it under 'slots:'.",
        ]
    )


def test_expressions_that_could_fill_the_memory_are_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          name: {type: text, validate: "name != '%999999999d' % 1"}
          tags: {type: list}
          n: {type: integer, validate: "n < round(1, -999999999)"}
        flows:
          hello:
            steps:
              - {collect: name, if: "len([[0] * 9999] * 9999) > 1"}
              - {collect: n}
              - {collect: tags}
              - {set: {}, compute: {name: "name * n", tags: "tags * 1000"}}
        """) == snapshot(
        [
            "bot.yaml:2:32: slot 'name': ''%999999999d' % 1' does not work with a text and a number. Check what kinds of values it is given.",
            "bot.yaml:4:32: slot 'n': 'round(1, -999999999)' cannot be evaluated: a number is rounded to at most 30 digits. Check what kinds of values it is given.",
            "bot.yaml:8:29: flow 'hello', step 'collect_name': '[0] * 9999' does not work with a list and a number. Check what kinds of values it is given.",
            "bot.yaml:11:35: flow 'hello', step 'set': 'name * n' does not work with a text and a number. Check what kinds of values it is given.",
            "bot.yaml:11:53: flow 'hello', step 'set': 'tags * 1000' does not work with a list and a number. Check what kinds of values it is given.",
        ]
    )


def test_patterns_that_cannot_be_used_are_told(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          code: {type: text, sensitive: true, pattern: "[0-9"}
          pin: {type: text, pattern: "(a+)+"}
          age: {type: integer, pattern: "[0-9]+"}
          tag: {type: text, pattern: [a, b]}
          zip: {type: text, pattern: "[0-9]{5}", examples: [12345, 1234]}
        flows:
          hello:
            steps:
              - collect: code
              - collect: pin
              - collect: age
              - collect: tag
              - collect: zip
        """) == snapshot(
        [
            "bot.yaml:2:48: '[0-9' is not a regular expression: unterminated character set at position 0.",
            "bot.yaml:3:30: '(a+)+' may take very long on some values: a repeat is inside another one, or beside one that takes the same characters. Give repeats an upper limit, such as {1,4}, or something else between them.",
            "bot.yaml:4:33: 'pattern' belongs to a slot of type text.",
            "bot.yaml:5:30: a pattern is a text in quotes, such as '[0-9]{6}'.",
            "bot.yaml:6:60: slot 'zip' cannot have '1234' as an example: it does not match the pattern.",
        ]
    )


def test_a_secret_that_cannot_be_recognised_is_a_warning(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          word: {type: text, sensitive: true}
          code: {type: text, sensitive: true, pattern: "[0-9]{6}"}
          phone: {type: phone, sensitive: true}
          token: {type: text, sensitive: true, source: system}
        flows:
          hello:
            steps:
              - collect: word
              - collect: code
              - collect: phone
              - {set: {token: x}}
        """) == snapshot(
        [
            "bot.yaml:2:33: warning: slot 'word' is a secret that cannot be recognised when somebody tells it before it is asked for. Give it a 'pattern', such as '[0-9]{6}'."
        ]
    )
