/**
 * Licenses of code that the release may contain. BlueOak-1.0.0, which lru-cache and so unleash-client use, is equally permissive. With the
 * Unlicense, tweetnacl, which the client of NATS uses, is in the public domain.
 */
const ACCEPTED = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
];
const ACCEPTED_FOR_FONTS = [...ACCEPTED, 'OFL-1.1'];
const FONT = /^@fontsource(-variable)?\//;

type Manifest = { license?: string | { type?: string }; licenses?: { type?: string }[] };

/** The license as an SPDX expression. Packages from npm's early years name it in an object. */
export function licenceOf({ license, licenses = [] }: Manifest): string {
  if (typeof license === 'string') return license;
  return license?.type ?? (licenses.map(({ type = '' }) => type).join(' OR ') || 'none');
}

/** One of the alternatives is accepted in all its parts. */
export function isAccepted(name: string, licence: string): boolean {
  const accepted = FONT.test(name) ? ACCEPTED_FOR_FONTS : ACCEPTED;
  const alternatives = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return alternatives.some(one => one.split(' AND ').every(part => accepted.includes(part.trim())));
}

const mit = (holder: string): string => `The MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const TITUS_WORMER = mit('Titus Wormer');
const SCALAR = mit('2023-present Scalar');

/** Our own LICENSE file has the same text. */
const apache = (holder: string): string => `Copyright ${holder}

Licensed under the Apache License, Version 2.0. The file LICENSE of this package contains its text.`;

/** Packages that name their license and have no file with its text. The copyright holder is the author or the vendor. */
const WITHOUT_FILE: [name: RegExp, text: string][] = [
  [/^@stricli\/core$/, apache('Bloomberg Finance L.P.')],
  [/^abstract-logging$/, mit('James Sumners')],
  [/^pg-types$/, mit('Brian M. Carlson')],
  [/^pgpass$/, mit('Hannes Hörl')],
  [/^react-remove-scroll-bar$/, mit('Anton Korzunov')],
  // Inside the API page.
  [/^@headlessui\/vue$/, mit('Tailwind Labs, Inc.')],
  [/^@replit\/codemirror-css-color-picker$/, mit('Faris Masad')],
  [/^@scalar\//, SCALAR],
  [/^(micromark(-.*)?|hast-util-is-body-ok-link|rehype-minify-whitespace)$/, TITUS_WORMER],
];

/** The license text of a package that has no file with it. */
export const textWithoutFile = (name: string): string | undefined =>
  WITHOUT_FILE.find(([pattern]) => pattern.test(name))?.[1];
