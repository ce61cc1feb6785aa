//! X1: a few thousand of the fuzzer's cases, always the same ones. `npm run fuzz` goes on from there.

#![cfg(not(target_arch = "wasm32"))]

#[allow(dead_code)] // its `main` is for the command line
#[path = "../examples/fuzz.rs"]
mod fuzzer;

#[test]
fn t8_r8_x1_broken_frames_and_random_commands_find_nothing() {
    for seed in 0..4_000 {
        fuzzer::one_case(seed);
    }
}

#[test]
fn x1_what_passes_the_check_of_updates_yrs_can_take() {
    for seed in 0..4_000 {
        fuzzer::updates::one_case(seed);
    }
}

#[test]
fn r3_r4_r6_r8_r9_r10_r11_r16_at_rest_every_client_is_what_the_server_is() {
    for seed in 0..4_000 {
        fuzzer::sessions::one_case(seed);
    }
}
