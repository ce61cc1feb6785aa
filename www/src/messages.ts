/** Toasts and notices: what the page has to tell beside the conversation. A plain store. */
import type { Notice } from "headway";

export interface Toast {
  readonly id: number;
  readonly kind: "error" | "info";
  readonly title: string;
  readonly text: string;
}

export interface NoticeRow extends Notice {
  readonly id: number;
  readonly at: number;
  /** How often the same was said in a row. */
  readonly times: number;
}

export interface MessagesState {
  readonly toasts: readonly Toast[];
  readonly notices: readonly NoticeRow[];
}

const MOST_TOASTS = 4;
const MOST_NOTICES = 100;

export class Messages {
  #state: MessagesState = { toasts: [], notices: [] };
  #nextId = 1;
  readonly #listeners = new Set<() => void>();

  toast(kind: Toast["kind"], title: string, text: string): void {
    const same = (toast: Toast) => toast.title === title && toast.text === text;
    const others = this.#state.toasts.filter((toast) => !same(toast));
    this.#set({ toasts: [...others, { id: this.#nextId++, kind, title, text }].slice(-MOST_TOASTS) });
  }

  dismiss(id: number): void {
    this.#set({ toasts: this.#state.toasts.filter((toast) => toast.id !== id) });
  }

  notice(notice: Notice): void {
    const { notices } = this.#state;
    const last = notices.at(-1);
    const isRepeat = last?.code === notice.code && last.message === notice.message;
    const row = {
      ...notice,
      at: Date.now(),
      id: isRepeat ? last.id : this.#nextId++,
      times: isRepeat ? last.times + 1 : 1,
    };
    this.#set({ notices: [...(isRepeat ? notices.slice(0, -1) : notices), row].slice(-MOST_NOTICES) });
  }

  clearNotices(): void {
    this.#set({ notices: [] });
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  getState = (): MessagesState => this.#state;

  #set(change: Partial<MessagesState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of [...this.#listeners]) listener();
  }
}
