//! What servers do that they should not.

use super::Dice;

/// What it does that it should not. All of it has been seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Habits {
    /// A prompt is taken while a run goes on, and whichever run ends first says that the agent is at rest.
    pub overlaps: bool,
    /// A revert is taken while a run goes on, whose other steps come late.
    pub reverts_in_runs: bool,
    /// HEAD goes to a step that comes late.
    pub late_moves_head: bool,
    /// A stop while idle is STOPPING for ever.
    pub stop_sticks: bool,
    /// A stop by another way is told to nobody.
    pub stops_in_silence: bool,
    /// The history is cleared, and no frame says so.
    pub clears: bool,
    /// The service is restarted and counts from one again.
    pub restarts: bool,
    /// Ids do not tell one life from another.
    pub repeats_ids: bool,
    /// Steps of the agent are not streamed.
    pub swallows: bool,
    /// A revert and a prompt in one tick: the run begins before HEAD moves.
    pub hurries: bool,
    /// HEAD is a step that it no longer has.
    pub loses_head: bool,
}

impl Habits {
    /// Half of all servers have none.
    pub fn roll(dice: &mut Dice) -> Self {
        if dice.roll(2) == 0 {
            return Habits::default();
        }
        let mut has = || dice.roll(4) == 0;
        Habits {
            overlaps: has(),
            reverts_in_runs: has(),
            late_moves_head: has(),
            stop_sticks: has(),
            stops_in_silence: has(),
            clears: has(),
            restarts: has(),
            repeats_ids: has(),
            swallows: has(),
            hurries: has(),
            loses_head: has(),
        }
    }

    /// Whether what it says, in the order in which it says it, is all that there is to know.
    pub fn are_good(&self) -> bool {
        let Habits { overlaps, reverts_in_runs, stop_sticks, stops_in_silence, .. } = self;
        let Habits { clears, restarts, swallows, hurries, loses_head, .. } = self;
        ![
            overlaps,
            reverts_in_runs,
            stop_sticks,
            stops_in_silence,
            clears,
            restarts,
            swallows,
            hurries,
            loses_head,
        ]
        .into_iter()
        .any(|has| *has)
    }
}
