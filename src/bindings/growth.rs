//! How the memory of the module grows: seldom, and by a lot.
//!
//! By itself the allocator of the standard library asks for little more than it needs at the moment, often for one page. To V8 each of
//! those makes another `ArrayBuffer` of the whole size, and a row of them is answered with full collections of the page's heap: a
//! history of 100,000 steps took 46 seconds to arrive on a page that held 160 MB of its own, in some 200 collections, and takes 2 with
//! this. Pages that nobody has written to cost an address and nothing else.

use std::alloc::{GlobalAlloc, Layout, System};

/// The allocator of the standard library, with room made for what comes next whenever the memory had to grow.
struct Growing;

#[global_allocator]
static ALLOCATOR: Growing = Growing;

const PAGE: usize = 65_536;

/// What is added at least, in pages: 1 MiB.
const LEAST: usize = 16;

fn pages() -> usize {
    core::arch::wasm32::memory_size(0)
}

/// Does what may make the memory grow, and sees to it that it does not grow again soon.
fn with_room(allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    let before = pages();
    let block = allocate();
    if pages() > before {
        make_room(before);
    }
    block
}

/// Adds a quarter to a memory that had to grow by less than that, as a block that is free again right away: the allocator then has it at
/// its end. Where there is no such room, nobody needs it yet.
#[cold]
#[inline(never)]
fn make_room(before: usize) {
    let more = (before / 4).max(LEAST);
    if pages() - before >= more {
        return;
    }
    if let Ok(room) = Layout::from_size_align(more * PAGE, 1) {
        // SAFETY: the size is not 0, and the block goes back with the layout that it was asked for with.
        unsafe {
            let spare = System.alloc(room);
            if !spare.is_null() {
                System.dealloc(spare, room);
            }
        }
    }
}

// SAFETY: every block comes from `System` and goes back to it, with the layout that the caller gave.
unsafe impl GlobalAlloc for Growing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        with_room(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        with_room(|| unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        with_room(|| unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}
