import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `major.minor.patch`, with an optional label such as `-rc.1`. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9a-z]+(?:\.[0-9a-z]+)*))?$/;

export const isVersion = (text: string): boolean => VERSION.test(text);

/** Whether a version is later than another one. A version with a label comes before the one without. */
export function isLater(version: string, than: string): boolean {
  const parts = (text: string) => VERSION.exec(text)?.slice(1) ?? [];
  const [a, b] = [parts(version), parts(than)];
  for (const n of [0, 1, 2]) if (a[n] !== b[n]) return Number(a[n]) > Number(b[n]);
  if (a[3] === undefined || b[3] === undefined) return a[3] === undefined && b[3] !== undefined;
  return a[3].localeCompare(b[3], 'en', { numeric: true }) > 0;
}

type Replace = (text: string, version: string, old: string) => string;

const MANIFEST: Replace = (text, version) => text.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`);

/** The versions of the workspaces, but not of dependencies. */
const LOCKFILE: Replace = (text, version) =>
  text
    .replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`)
    .replace(/^( {6}"name": "(?:halyard|@halyard\/\w+)",\n {6}"version": )"[^"]*"/gm, `$1"${version}"`);

const CHART: Replace = (text, version) =>
  text
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: "${version}"`);

/** Pages show the version in the output of a command or in a response. */
const PAGE: Replace = (text, version, old) =>
  text
    .replaceAll(`"version": "${old}"`, `"version": "${version}"`)
    .replaceAll(`Halyard ${old}`, `Halyard ${version}`);

const FILES: [pattern: string, replace: Replace][] = [
  ['package.json', MANIFEST],
  ['{plane,edge,server,console,clients,cli}/package.json', MANIFEST],
  ['package-lock.json', LOCKFILE],
  ['deploy/helm/*/Chart.yaml', CHART],
  ['{README.md,docs/**/*.md}', PAGE],
];

export const currentVersion = (root: string): string =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;

/** The files that change, with their new content. `openapi.json` is not among them, because the server writes it. */
export function newTexts(root: string, version: string): Map<string, string> {
  const old = currentVersion(root);
  const changed = new Map<string, string>();
  for (const [pattern, replace] of FILES) {
    for (const path of globSync(pattern, { cwd: root })) {
      const text = readFileSync(join(root, path), 'utf8');
      const replaced = replace(text, version, old);
      if (replaced !== text) changed.set(path, replaced);
    }
  }
  return changed;
}

export function writeTexts(root: string, texts: Map<string, string>): void {
  for (const [path, text] of texts) writeFileSync(join(root, path), text);
}
