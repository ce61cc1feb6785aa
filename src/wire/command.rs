//! What a client says, in the words that its server knows.

use serde::Serialize;

use super::Dialect;

/// Where a prompt was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptSource {
    /// In the chat.
    #[default]
    Chat,
    /// In answer to something that the agent showed.
    Feedback,
}

/// A command to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// A new turn.
    Prompt {
        /// What the user wrote.
        content: &'a str,
        /// Where it was written.
        source: PromptSource,
    },
    /// End the run.
    Stop,
    /// Go back to before a turn.
    Revert {
        /// The turn.
        message_id: &'a str,
    },
    /// Take the latest revert back.
    Redo,
    /// Go to a step.
    Checkout {
        /// The step.
        step_id: &'a str,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Text<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_source: Option<PromptSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<&'a str>,
}

impl Command<'_> {
    /// The text frame to send. `None` when the dialect has no word for it.
    pub fn to_text(self, dialect: Dialect) -> Option<String> {
        let mut text =
            Text { r#type: "", content: None, message_source: None, message_id: None, step_id: None };
        match self {
            Command::Prompt { content, source } => {
                text.r#type = dialect.prompt();
                text.content = Some(content);
                text.message_source = Some(source);
            }
            Command::Stop => text.r#type = dialect.stop(),
            Command::Revert { message_id } if dialect.can_revert() => {
                text.r#type = "WsClientRevertCommand";
                text.message_id = Some(message_id);
            }
            Command::Redo if dialect.can_revert() => text.r#type = "WsClientRedoCommand",
            Command::Checkout { step_id } if dialect.can_revert() => {
                text.r#type = "WsClientCheckoutCommand";
                text.step_id = Some(step_id);
            }
            Command::Revert { .. } | Command::Redo | Command::Checkout { .. } => return None,
        }
        // Strings and names only: this cannot fail.
        serde_json::to_string(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_has_its_words() {
        let prompt = Command::Prompt { content: "say \"hi\"", source: PromptSource::Feedback };
        let rest = r#""content":"say \"hi\"","messageSource":"feedback"}"#;
        for (dialect, prompt_type, stop_type) in [
            (Dialect::A, "message", "stop"),
            (Dialect::APrime, "prompt", "stop"),
            (Dialect::B, "WsClientPromptCommand", "WsClientStopCommand"),
            (Dialect::C, "WsClientPromptCommand", "WsClientStopCommand"),
        ] {
            let expected = format!(r#"{{"type":"{prompt_type}",{rest}"#);
            assert_eq!(prompt.to_text(dialect), Some(expected));
            let expected = format!(r#"{{"type":"{stop_type}"}}"#);
            assert_eq!(Command::Stop.to_text(dialect), Some(expected));
        }
    }

    #[test]
    fn only_c_can_say_revert_and_redo() {
        let revert = Command::Revert { message_id: "msg-1" };
        assert_eq!(
            revert.to_text(Dialect::C).as_deref(),
            Some(r#"{"type":"WsClientRevertCommand","messageId":"msg-1"}"#)
        );
        assert_eq!(Command::Redo.to_text(Dialect::C).as_deref(), Some(r#"{"type":"WsClientRedoCommand"}"#));
        let checkout = Command::Checkout { step_id: "step-1" };
        assert_eq!(
            checkout.to_text(Dialect::C).as_deref(),
            Some(r#"{"type":"WsClientCheckoutCommand","stepId":"step-1"}"#)
        );
        assert_eq!(checkout.to_text(Dialect::B), None);
        for dialect in [Dialect::A, Dialect::APrime, Dialect::B] {
            assert_eq!((revert.to_text(dialect), Command::Redo.to_text(dialect)), (None, None));
        }
    }
}
