import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `major.minor.patch`, with an optional label such as `-rc.1`. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9a-z]+(?:\.[0-9a-z]+)*))?$/;

export const isVersion = (text: string): boolean => VERSION.test(text);

/** Returns whether a version is later than the other. A version with a label precedes the same version without it. */
export function isLater(version: string, other: string): boolean {
  const parseParts = (text: string) => VERSION.exec(text)?.slice(1) ?? [];
  const [a, b] = [parseParts(version), parseParts(other)];
  for (const n of [0, 1, 2]) if (a[n] !== b[n]) return Number(a[n]) > Number(b[n]);
  if (a[3] === undefined || b[3] === undefined) return a[3] === undefined && b[3] !== undefined;
  return a[3].localeCompare(b[3], 'en', { numeric: true }) > 0;
}

type Replace = (text: string, version: string, oldVersion: string) => string;

const MANIFEST: Replace = (text, version) => text.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`);

/** Replaces the versions of the workspaces, but not of dependencies. */
const LOCKFILE: Replace = (text, version) =>
  text
    .replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`)
    .replace(/^( {6}"name": "(?:halyard|@halyard\/\w+)",\n {6}"version": )"[^"]*"/gm, `$1"${version}"`);

const CHART: Replace = (text, version) =>
  text
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: "${version}"`);

/** Replaces the version wherever a page shows command output or a response. */
const PAGE: Replace = (text, version, oldVersion) =>
  text
    .replaceAll(`"version": "${oldVersion}"`, `"version": "${version}"`)
    .replaceAll(`Halyard ${oldVersion}`, `Halyard ${version}`);

const FILES: [pattern: string, replace: Replace][] = [
  ['package.json', MANIFEST],
  ['{plane,edge,server,console,clients,cli}/package.json', MANIFEST],
  ['package-lock.json', LOCKFILE],
  ['deploy/helm/*/Chart.yaml', CHART],
  ['{README.md,docs/**/*.md}', PAGE],
];

export const readVersion = (root: string): string =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;

/** Returns the new content of the files that change, except for `openapi.json`, which the server generates. */
export function updateTexts(root: string, version: string): Map<string, string> {
  const oldVersion = readVersion(root);
  const changedTexts = new Map<string, string>();
  for (const [pattern, replace] of FILES) {
    for (const path of globSync(pattern, { cwd: root })) {
      const text = readFileSync(join(root, path), 'utf8');
      const newText = replace(text, version, oldVersion);
      if (newText !== text) changedTexts.set(path, newText);
    }
  }
  return changedTexts;
}

export function writeTexts(root: string, texts: Map<string, string>): void {
  for (const [path, text] of texts) writeFileSync(join(root, path), text);
}
