import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAccepted, licenceOf, textWithoutFile } from './licences.ts';

/** A package whose code or files are in the release. */
export type Content = {
  name: string;
  version: string;
  licence: string;
  /** The texts of its license and its notice. */
  texts: string[];
  /** Its hash in the npm registry. For packages in the lockfile, the lockfile has it. */
  integrity?: string;
};

const FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** The folders of the packages that the modules belong to. Our own modules belong to none. */
export function foldersOf(modules: string[]): string[] {
  const folders = modules.flatMap(module => FOLDER.exec(module.replaceAll('\0', ''))?.[0] ?? []);
  return [...new Set(folders)];
}

/** The packages in the folders and the known ones, sorted by name. Throws if a license is not accepted or has no text. */
export function readContents(folders: string[], known: Content[] = []): Content[] {
  const contents = new Map(
    [...known, ...folders.map(readContent)].map(one => [`${one.name}@${one.version}`, one]),
  );
  const problems = [...contents.values()].flatMap(problemOf);
  if (problems.length > 0)
    throw new Error(`The release cannot contain these packages:\n${problems.join('\n')}`);
  return [...contents.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, content]) => content);
}

function readContent(folder: string): Content {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder)
    .filter(file => LICENCE_FILE.test(file))
    .toSorted();
  const texts = files.map(file => readFileSync(join(folder, file), 'utf8').trim());
  const known = textWithoutFile(manifest.name);
  return {
    name: manifest.name,
    version: manifest.version,
    licence: licenceOf(manifest),
    texts: texts.length === 0 && known !== undefined ? [known] : texts,
  };
}

function problemOf({ name, version, licence, texts }: Content): string[] {
  if (!isAccepted(name, licence)) return [`  ${name} ${version}: the license ${licence} is not accepted.`];
  return texts.length === 0
    ? [`  ${name} ${version}: no file with a license. Add its text to scripts/package/licences.ts.`]
    : [];
}
