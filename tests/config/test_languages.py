# ruff: noqa: E501  # a message is one line, however long
"""Languages of an assistant: phrases by language, and what `soni check` says of languages that are offered here and there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inline_snapshot import snapshot

if TYPE_CHECKING:
    from tests.config.conftest import Problems


def test_a_text_that_lacks_an_offered_language_is_a_warning(problems_of: Problems) -> None:
    assert problems_of("""\
        slots:
          size:
            type: choice
            label: {en: Size, es: Tamaño}
            options: {big: {label: {en: Big}}, small: {label: {en: Small, es: Pequeño}}}
        flows:
          order:
            description: {en: Order it, es: Pedirlo}
            trigger: {intents: {en: [order it]}}
            steps:
              - {collect: size, message: {en: "Which?", es: "¿Cuál?"}}
              - {say: {en: "Done."}}
              - {say: "OK {size}"}
        """) == snapshot(
        [
            "bot.yaml:5:28: warning: this is not written in 'es', which the assistant offers elsewhere. It is shown in 'en'; add 'es'.",
            "bot.yaml:9:24: warning: this is not written in 'es', which the assistant offers elsewhere. Add 'es'.",
            "bot.yaml:12:15: warning: this is not written in 'es', which the assistant offers elsewhere. It is shown in 'en'; add 'es'.",
        ]
    )


def test_a_language_that_is_seldom_offered_is_one_warning(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          order:
            steps:
              - {say: {en: "One."}}
              - {say: {en: "Two.", es: "Dos."}}
              - {say: {en: "Three."}}
        """) == snapshot(
        [
            "bot.yaml:5:32: warning: 'es' is offered in 1 of the 3 texts that are written by language. The others are shown in 'en'; write them in 'es', or take it out here."
        ]
    )


def test_a_language_without_a_folder_is_one_warning(problems_of: Problems) -> None:
    assert problems_of("""\
        flows:
          order:
            steps:
              - {say: {en: "One.", nl: "Eén."}}
              - {say: {en: "Two.", nl: "Twee."}}
        """) == snapshot(
        [
            "bot.yaml:4:32: warning: there is no folder for the language 'nl'. General texts are said in 'en', and values and yes or no are read with English words. docs/languages.md says how to add a language."
        ]
    )
    assert problems_of("""\
        settings: {language: nl}
        flows:
          order: {steps: [{say: "Eén."}]}
        """) == snapshot(
        [
            "bot.yaml:1:22: warning: there is no folder for the language 'nl'. General texts are said in 'en', and values and yes or no are read with English words. docs/languages.md says how to add a language."
        ]
    )


def test_phrases_by_language_are_checked_like_the_others(problems_of: Problems) -> None:
    assert problems_of("""\
        slots: {size: {type: text}}
        flows:
          a:
            trigger: {intents: {en: ["order it"], español: ["pedir"]}}
            steps: [{say: "Done."}]
          b:
            trigger: {intents: {en: "order"}}
            steps: [{say: "Done."}]
          c:
            trigger: {intents: {en: ["get it", "order {sise}"]}}
            steps: [{say: "Done."}]
        """) == snapshot(
        [
            "bot.yaml:4:52: 'español' stands where a language such as 'en' or 'es' belongs.",
            "bot.yaml:7:29: 'trigger.intents.en' of flow 'b' must be a list, not 'order'.",
            "bot.yaml:10:40: flow 'c' has a phrase with the slot 'sise', which is not declared. Did you mean 'size'?",
        ]
    )
