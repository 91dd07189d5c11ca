import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const pages = globSync(['*.md', 'docs/**/*.md', 'bench/**/*.md'], { cwd: ROOT }).toSorted();

/** Returns the anchors of a page's headings, as GitHub generates them. */
const listAnchors = (text: string): string[] =>
  [...removeCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const removeCode = (text: string): string => text.replace(/^( *)```[\s\S]*?^\1```/gm, '');

function isBroken(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
  if (!existsSync(file)) return true;
  return anchor !== undefined && !listAnchors(readFileSync(file, 'utf8')).includes(anchor);
}

test.each(pages)('%s has no broken link', page => {
  const links = [...removeCode(readFileSync(join(ROOT, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter(target => !/^[a-z]+:/.test(target));

  expect(links.filter(target => isBroken(page, target))).toEqual([]);
});

test.each(pages)('every source file that %s names exists', page => {
  const namedFiles = [
    ...readFileSync(join(ROOT, page), 'utf8').matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|sql))`/g),
  ]
    .map(([, path = '']) => path)
    .filter(path => /^[\w-]+\//.test(path));

  const isMissing = (path: string) =>
    ![path, `server/src/${path}`, `plane/src/${path}`, `server/migrations/${path}`].some(candidatePath =>
      existsSync(join(ROOT, candidatePath)),
    );
  expect(namedFiles.filter(isMissing)).toEqual([]);
});
