//! Tells Zed to start the memls that is on the PATH.
use zed_extension_api::{register_extension, Command, Extension, LanguageServerId, Result, Worktree};

struct Memls;

impl Extension for Memls {
    fn new() -> Self {
        Memls
    }

    fn language_server_command(&mut self, _id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree
            .which("memls")
            .ok_or("memls is not on the PATH: put its directory there and restart Zed")?;
        Ok(Command {
            command,
            args: vec![],
            env: worktree.shell_env(),
        })
    }
}

register_extension!(Memls);
