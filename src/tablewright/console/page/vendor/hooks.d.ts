export function useState<T>(initial: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
export function useEffect(run: () => void | (() => void), inputs?: any[]): void;
export function useLayoutEffect(run: () => void | (() => void), inputs?: any[]): void;
export function useRef<T>(initial: T): { current: T };
export function useMemo<T>(compute: () => T, inputs: any[]): T;
export function useCallback<T extends (...given: any[]) => any>(callback: T, inputs: any[]): T;
export function useId(): string;
