"""The assistant's general texts: in English and Spanish, each replaceable under `texts:`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from soni.core.template import Text

MAY_SHOW: dict[str, set[str]] = {
    "cancelled": {"_flow"},
    "out_of_scope": {"_capabilities"},
    "already_done": {"_flow"},
    "too_long_ago": {"_flow"},
}
"""What some texts can show besides what they show as they are shipped."""


def _text(en: str | list[str], es: str | list[str]) -> Text:
    return Text.of({"en": en, "es": es})


class Texts(BaseModel):
    """What the assistant says of itself, outside of any flow."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @field_validator("*", mode="after")
    @classmethod
    def _beside_the_other_languages(cls, text: Text, info: ValidationInfo) -> Text:
        """A text given for one language leaves those of the others as they are."""
        shipped: Text = cls.model_fields[str(info.field_name)].default
        return text if "" in text.variants else Text({**shipped.variants, **text.variants})

    yes: Text = _text("Yes", "Sí")
    no: Text = _text("No", "No")
    ask: Text = _text("{what}?", "¿{what}?")
    invalid: Text = _text("Sorry, I cannot use that here.", "Lo siento, eso no me sirve aquí.")
    stuck: Text = _text("I am afraid we are not getting anywhere with this.", "Me temo que así no avanzamos.")
    too_many_attempts: Text = _text(
        "I could not make use of that, so I have stopped here. Nothing was done.",
        "No he podido usar nada de eso, de modo que lo he dejado. No se ha hecho nada.",
    )
    denied: Text = _text("All right. Nothing was done.", "De acuerdo. No se ha hecho nada.")
    stopped: Text = _text("All right, I leave it at that.", "De acuerdo, lo dejo así.")
    already_done: Text = _text(
        "That has already been done, so I cannot change it any more.",
        "Eso ya está hecho, así que ya no puedo cambiarlo.",
    )
    too_long_ago: Text = _text(
        "That is too far back, so I cannot change it any more.",
        "Eso queda demasiado atrás, así que ya no puedo cambiarlo.",
    )
    changed: Text = _text("I have changed that.", "Lo he cambiado.")
    changed_to: Text = _text("I have changed {_changes}.", "He cambiado {_changes}.")
    change: Text = _text("{_slot} to {_value}", "{_slot} a {_value}")
    cancelled: Text = _text("All right, I have stopped that.", "De acuerdo, lo dejo.")
    nothing_to_cancel: Text = _text("There is nothing to cancel.", "No hay nada que cancelar.")
    not_available: Text = _text("I cannot do that right now.", "Ahora mismo no puedo hacer eso.")
    too_deep: Text = _text(
        "We have a lot open already. Let us finish something first.",
        "Ya tenemos muchas cosas abiertas. Terminemos algo primero.",
    )
    queued: Text = _text("Then I will take care of this: {_flow}.", "Después me ocupo de esto: {_flow}.")
    next: Text = _text("Now the next thing: {_flow}.", "Ahora, lo siguiente: {_flow}.")
    resume: Text = _text("Back to where we were: {_flow}.", "Sigamos donde lo dejamos: {_flow}.")
    out_of_scope: Text = _text(
        "Sorry, I did not understand that, or it is not something I can help with.",
        "Lo siento, no lo he entendido o no es algo en lo que pueda ayudar.",
    )
    trouble: Text = _text(
        "Sorry, I have trouble understanding anything just now. Please say it again in a moment.",
        "Lo siento, ahora mismo me cuesta entender. Dímelo otra vez dentro de un momento, por favor.",
    )
    clarify: Text = _text("Which of these do you mean?", "¿A cuál de estas cosas te refieres?")
    help: Text = _text("This is what I can do:\n{_capabilities}", "Esto es lo que puedo hacer:\n{_capabilities}")
    greeting: Text = _text("Hello!", "¡Hola!")
    thanks: Text = _text("You are welcome.", "De nada.")
    goodbye: Text = _text("Goodbye!", "¡Hasta luego!")
    chit_chat: Text = _text(
        "I am better at getting things done than at small talk.",
        "Se me da mejor hacer gestiones que conversar.",
    )
    needed: Text = _text("I cannot go on without that.", "Sin eso no puedo seguir.")
    nothing_to_resume: Text = _text("There is nothing left open.", "No queda nada pendiente.")
    restarted: Text = _text("All right, let us begin anew.", "De acuerdo, empecemos de nuevo.")
    timed_out: Text = _text(
        "It has been a while, so I have closed what we had open. Nothing more was done.",
        "Ha pasado un buen rato, así que he cerrado lo que teníamos abierto. No se ha hecho nada más.",
    )
    offer_person: Text = _text("Would you like to talk to a person?", "¿Quieres hablar con una persona?")
    back: Text = _text("You are talking to the assistant again.", "Vuelves a hablar con el asistente.")
    done: Text = _text("All right.", "De acuerdo.")
    declined: Text = _text("All right.", "De acuerdo.")
    no_person: Text = _text(
        "I am afraid there is nobody I can pass you on to.",
        "Me temo que no hay nadie a quien pueda pasarte.",
    )
    assistant_changed: Text = _text(
        "I have changed since we last spoke, so we have to begin that anew.",
        "He cambiado desde la última vez, así que tenemos que empezar eso de nuevo.",
    )
    stale_option: Text = _text("That choice is no longer open.", "Esa opción ya no está disponible.")
    action_failed: Text = _text(
        "Sorry, something went wrong and I could not do that.",
        "Lo siento, algo ha fallado y no he podido hacerlo.",
    )
    failed_after_effect: Text = _text(
        "That was done, but something went wrong afterwards. A person will look into it.",
        "Eso se ha hecho, pero después algo ha fallado. Una persona lo revisará.",
    )
    failed_after_effect_alone: Text = _text(
        "That was done, but something went wrong afterwards.", "Eso se ha hecho, pero después algo ha fallado."
    )
    not_open: Text = _text("We have not begun that.", "Eso no lo hemos empezado.")
    outcome_unknown: Text = _text(
        "I do not know whether that went through, so I will not try it again.",
        "No sé si eso ha llegado a hacerse, así que no lo voy a repetir.",
    )
    handoff: Text = _text("A person will take it from here.", "Una persona se ocupará a partir de aquí.")
    error: Text = _text(
        "Sorry, something went wrong on my side. Please try again.",
        "Lo siento, algo ha fallado por mi parte. Inténtalo de nuevo, por favor.",
    )
