export interface Signal<T = any> {
  value: T;
  peek(): T;
  subscribe(run: (value: T) => void): () => void;
}
export function signal<T>(value: T): Signal<T>;
export function computed<T>(compute: () => T): Signal<T>;
export function effect(run: () => void | (() => void)): () => void;
export function batch<T>(run: () => T): T;
export function useSignal<T>(value: T): Signal<T>;
export function useComputed<T>(compute: () => T): Signal<T>;
