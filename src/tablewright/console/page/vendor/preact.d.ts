export const h: (...given: any[]) => any;
export const render: (node: any, parent: Element) => void;
export const createRef: () => { current: any };
export const Fragment: any;
export class Component<P = any, S = any> {
  constructor(props?: P);
  props: P;
  state: S;
  setState(state: Partial<S> | ((state: S) => Partial<S>)): void;
  render(): any;
}
