import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLicenseText, getLicense, isAccepted } from './licenses.ts';

/** A package whose code or files are in the release. */
export type BundledPackage = {
  name: string;
  version: string;
  license: string;
  /** The texts of its license and its notice. */
  texts: string[];
  /** Its hash in the npm registry, if the hash is not in the lockfile. */
  integrity?: string;
};

const FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENSE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** Returns the folders of the packages that the modules belong to. Skips our own modules. */
export function listPackageFolders(modules: string[]): string[] {
  const folders = modules.flatMap(module => FOLDER.exec(module.replaceAll('\0', ''))?.[0] ?? []);
  return [...new Set(folders)];
}

/** Reads the packages in the folders, and adds `otherContents`. Sorted by name. Throws if a license is not accepted or has no text. */
export function readContents(folders: string[], otherContents: BundledPackage[] = []): BundledPackage[] {
  const contents = new Map(
    [...otherContents, ...folders.map(readContent)].map(content => [
      `${content.name}@${content.version}`,
      content,
    ]),
  );
  const problems = [...contents.values()].flatMap(findProblems);
  if (problems.length > 0)
    throw new Error(`The release cannot contain these packages:\n${problems.join('\n')}`);
  return [...contents.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, content]) => content);
}

function readContent(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder)
    .filter(file => LICENSE_FILE.test(file))
    .toSorted();
  const texts = files.map(file => readFileSync(join(folder, file), 'utf8').trim());
  const knownText = findLicenseText(manifest.name);
  return {
    name: manifest.name,
    version: manifest.version,
    license: getLicense(manifest),
    texts: texts.length === 0 && knownText !== undefined ? [knownText] : texts,
  };
}

function findProblems({ name, version, license, texts }: BundledPackage): string[] {
  if (!isAccepted(name, license)) return [`  ${name} ${version}: the license ${license} is not accepted.`];
  return texts.length === 0
    ? [`  ${name} ${version}: no license file. Add the license text to scripts/package/licenses.ts.`]
    : [];
}
