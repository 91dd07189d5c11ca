/** Returns the page that lists the flags and sets overrides. A script builds the list from JSON, so a flag name cannot inject markup. */
export const renderPage = (nonce: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Local flags</title>
<style nonce="${nonce}">
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  table { width: 100%; border-collapse: collapse; }
  th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884; }
  td:first-child { overflow-wrap: anywhere; }
  input, select { font: inherit; padding: .2rem .4rem; }
  tr.own td:first-child { font-weight: 600; }
  #error { color: #c00; }
</style>
<h1>Local flags</h1>
<p id="state"></p>
<p id="error" role="alert"></p>
<p><label>Filter <input id="filter" type="search"></label></p>
<table><thead><tr><th>Flag<th>On the server<th>Here</tr></thead><tbody id="flags"></tbody></table>
<script nonce="${nonce}" type="module">
const $ = id => document.getElementById(id);
let known = '';
const choice = override => override === undefined ? '' : typeof override === 'boolean' ? String(override) : 'variant:' + override.variant;
const option = (value, text, chosen) => Object.assign(document.createElement('option'), { value, textContent: text, selected: value === chosen });
function row({ name, enabled, variants, override }) {
  const tr = document.createElement('tr');
  const cell = text => tr.appendChild(Object.assign(document.createElement('td'), { textContent: text }));
  cell(name);
  cell(enabled === null ? 'no such flag' : enabled ? 'enabled' : 'disabled');
  const select = document.createElement('select');
  select.setAttribute('aria-label', 'Override for ' + name);
  const chosen = choice(override);
  const all = new Set(variants);
  if (override?.variant !== undefined) all.add(override.variant);
  select.append(option('', 'as on the server', chosen), option('true', 'on', chosen), option('false', 'off', chosen),
    ...[...all].map(variant => option('variant:' + variant, 'variant ' + variant, chosen)));
  select.onchange = () => set(name, select.value);
  cell('').append(select);
  tr.className = override === undefined ? '' : 'own';
  return tr;
}
async function set(name, value) {
  const override = value === '' ? null : value === 'true' ? true : value === 'false' ? false : { variant: value.slice(8) };
  const response = await fetch('/dev/overrides', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name, override }) });
  $('error').textContent = response.ok ? '' : (await response.json()).message;
  await show();
}
async function show() {
  const text = await fetch('/dev/flags').then(response => response.text()).catch(() => undefined);
  if (text === undefined) { $('state').textContent = 'halyard dev is not running.'; return; }
  const filter = $('filter').value.toLowerCase();
  if (text + filter === known || document.activeElement?.tagName === 'SELECT' && document.activeElement.matches(':open')) return;
  known = text + filter;
  const { upstream, fetchedAt, file, problem, flags } = JSON.parse(text);
  $('state').textContent = 'From ' + upstream + ', fetched at ' + new Date(fetchedAt).toLocaleTimeString() + '. Overrides are in ' + file + '.';
  if (problem) $('error').textContent = problem;
  $('flags').replaceChildren(...flags.filter(({ name }) => name.toLowerCase().includes(filter)).map(row));
}
$('filter').oninput = show;
await show();
setInterval(show, 1000);
</script>
</html>
`;
