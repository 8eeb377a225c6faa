// The page: a rail of views, the view in the middle, and what all views share.
import { Component, html, render, signal, useLayoutEffect } from "./lib.js";
import { api, connection, returns } from "./parts/api.js";
import { Loading, Problem, linkStyles } from "./parts/layout.js";
import { Palette, open as palette } from "./parts/palette.js";
import { Pinned } from "./parts/pinned.js";
import { go, href, readAddress, route } from "./parts/router.js";
import { CTRL, Help } from "./parts/shortcuts.js";
import { design, designError, designs } from "./parts/state.js";
import { cycleTheme, theme } from "./parts/theme.js";
import { Toasts } from "./parts/toast.js";
import { VIEWS } from "./parts/views.js";

/** @type {{value: Record<string, any>}} the views that were loaded */
const loaded = signal({});
/** @type {{value: any}} */
const startError = signal(null);

async function start() {
  try {
    designs.value = (await api.designs()).designs;
    startError.value = null;
  } catch (error) {
    startError.value = error;
    return;
  }
  readAddress();
  if (!designs.value.some((each) => each.name === route.value.design)) {
    go("overview", [], {}, { replace: true, design: designs.value[0].name });
  }
}

/** @param {string} id */
async function loadView(id) {
  if (loaded.value[id]) return;
  linkStyles(id);
  const module = await import(`./views/${id}.js`);
  loaded.value = { ...loaded.value, [id]: module.default };
}

const knownView = () => VIEWS.find((view) => view.id === route.value.view);

function View() {
  const known = knownView();
  const id = known?.id;
  useLayoutEffect(() => {
    if (id) loadView(id);
    document.title = `${known?.title ?? "Unknown view"} · ${design.value?.title ?? "Tablewright"}`;
  }, [id, design.value, returns.value]);
  if (!known) return html`<main class="page"><h1>No such view</h1><p>Choose one in the list at the left.</p></main>`;
  if (designError.value && !design.value) return html`<main class="page"><${Problem} error=${designError.value} /></main>`;
  const Found = loaded.value[known.id];
  if (!Found || !design.value) return html`<main class="page"><${Loading} /></main>`;
  const key = `${design.value.name} ${known.id}`;
  return html`<${Guard} key=${key}><${Found} key=${key} /><//>`;
}

/** Shows the error of a view that failed, so that the rest of the page goes on. */
class Guard extends Component {
  /** @param {any} error */
  componentDidCatch(error) {
    console.error(error);
    this.setState({ error });
  }

  render() {
    const { error } = /** @type {any} */ (this.state);
    if (!error) return /** @type {any} */ (this.props).children;
    const again = () => this.setState({ error: null });
    return html`<main class="page"><${Problem} error=${{ message: `This view failed: ${error.message}. Try again, or open another view.` }} onRetry=${again} /></main>`;
  }
}

function Rail() {
  const present = designs.value.find((each) => each.name === route.value.design);
  return html`<nav class="rail" aria-label="Views">
    <div class="brand"><img src="page/icon.svg" alt="" width="18" height="18" /> Tablewright</div>
    ${designs.value.length > 1
      ? html`<select class="design" aria-label="Design" value=${route.value.design}
          onChange=${(/** @type {any} */ event) => go(route.value.view, [], {}, { design: event.currentTarget.value })}>
          ${designs.value.map((each) => html`<option key=${each.name} value=${each.name} selected=${each.name === route.value.design}>${each.title}</option>`)}
        </select>`
      : html`<div class="design">${present?.title}</div>`}
    <button class="find" onClick=${() => (palette.value = true)}>Find <kbd>${CTRL} K</kbd></button>
    <ul>
      ${VIEWS.map(
        (view) => html`<li key=${view.id}><a href=${href(view.id)} aria-current=${view.id === route.value.view ? "page" : undefined} title=${`${view.about} (g ${view.key})`}>${view.title}</a></li>`,
      )}
    </ul>
    <div class="rail-foot">
      ${present && html`<div class="place" title=${present.location}>${present.location}</div>`}
      ${present && html`<div class=${`mode ${present.writable ? "writable" : ""}`}>${present.writable ? "writes allowed" : "read-only"}${present.reveal ? ", secrets shown" : ""}</div>`}
      <button class="link" onClick=${cycleTheme}>Theme: ${theme.value}</button>
    </div>
  </nav>`;
}

function Banner() {
  if (connection.value === "here") return null;
  const text =
    connection.value === "away"
      ? "The server does not reply. What you see may be old. The page goes on when the server is back."
      : "This browser has no session here. Open the address that the command printed in the terminal.";
  return html`<div class="banner" role="alert">${text}</div>`;
}

function App() {
  return html`<${Banner} />
    ${startError.value && !designs.value.length
      ? html`<main class="page"><${Problem} error=${startError.value} onRetry=${start} /></main>`
      : html`<div class="frame"><${Rail} /><${View} /><${Pinned} /></div>`}
    <${Palette} /><${Help} /><${Toasts} />`;
}

returns.subscribe((times) => {
  if (times) start();
});
start();
loadView(knownView()?.id ?? VIEWS[0].id); // beside the requests of `start`
render(html`<${App} />`, /** @type {Element} */ (document.getElementById("app")));
