/** Reading stores from components. */
import type { Headway, View } from "headway";
import { useSyncExternalStore } from "react";

/** The view of a Headway, and a new render whenever there is another one. */
export const useHeadway = (headway: Headway): View => useSyncExternalStore(headway.subscribe, headway.getView);

interface Store<T> {
  subscribe(listener: () => void): () => void;
  getState(): T;
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.getState);
