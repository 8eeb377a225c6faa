// The libraries of the page, in one import.
import { h } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { Component, Fragment, createRef, h, render } from "./vendor/preact.js";
// No `useEffect`: it runs a frame after the render, and would undo what a quick user did in between.
export { useCallback, useId, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.js";
export { batch, computed, effect, signal } from "./vendor/signals.js";
