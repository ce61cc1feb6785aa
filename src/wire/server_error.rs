//! What an error frame means. Servers send free text; some also send a code, which then counts.

/// An error that a server reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// Stable code; see [`ServerError::of`].
    pub code: String,
    /// The server's own words.
    pub text: String,
    /// The commands that it can be the answer to; empty when it does not say.
    pub answers: &'static [&'static str],
}

/// Texts known from real servers: how they begin, their code, and which commands they answer.
const KNOWN: [(&str, &str, &[&str]); 14] = [
    ("Message content is required", "empty_prompt", &["prompt"]),
    ("Cannot prompt while the agent is busy", "busy", &["prompt"]),
    ("The agent is not running", "not_running", &["stop"]),
    ("messageId is required to revert", "unknown_turn", &["revert"]),
    ("Cannot revert while the agent is busy", "busy", &["revert"]),
    ("Unknown turn:", "unknown_turn", &["revert"]),
    ("Turn is not on the current conversation path", "not_on_path", &["revert"]),
    ("Cannot redo while the agent is busy", "busy", &["redo"]),
    ("Nothing to redo", "nothing_to_redo", &["redo"]),
    ("Cannot check out while the agent is busy", "busy", &["checkout"]),
    ("Unknown step:", "unknown_step", &["checkout"]),
    ("Failed to save the restored workflow", "save_failed", &["revert", "redo", "checkout"]),
    ("Agent not found", "agent_not_found", &[]),
    ("Unknown message type:", "unsupported", &[]),
];

impl ServerError {
    /// Reads an error frame: its own code when it has one, else a code by its text, else `server_error`.
    pub fn of(text: String, code: Option<String>) -> Self {
        let known = KNOWN.iter().find(|(start, ..)| text.starts_with(start));
        let (by_text, answers) =
            known.map_or(("server_error", &[][..]), |(_, code, answers)| (*code, *answers));
        let code = code.filter(|code| !code.is_empty()).unwrap_or_else(|| by_text.to_owned());
        ServerError { code, text, answers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r8_texts_become_codes_and_codes_win() {
        for (text, code, expected) in [
            ("Unknown turn: msg-7", None, "unknown_turn"),
            ("Nothing to redo", None, "nothing_to_redo"),
            ("Nothing to redo", Some("review_pending"), "review_pending"),
            ("Nothing to redo", Some(""), "nothing_to_redo"),
            ("the database is on fire", None, "server_error"),
        ] {
            let error = ServerError::of(text.into(), code.map(str::to_owned));
            assert_eq!((error.code.as_str(), error.text.as_str()), (expected, text));
        }
    }
}
