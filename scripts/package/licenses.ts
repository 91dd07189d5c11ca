/**
 * Licenses that are allowed for code in the release. BlueOak-1.0.0, which is as permissive as MIT, is here for unleash-client and
 * its dependency lru-cache. The Unlicense, which puts code into the public domain, is here for the NATS client and tweetnacl.
 */
const ACCEPTED_LICENSES = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
];
const ACCEPTED_FONT_LICENSES = [...ACCEPTED_LICENSES, 'OFL-1.1'];
const FONT = /^@fontsource(-variable)?\//;

type Manifest = { license?: string | { type?: string }; licenses?: { type?: string }[] };

/** Returns the license as an SPDX expression. Packages from npm's early years have an object or a list of objects. */
export function getLicense({ license, licenses = [] }: Manifest): string {
  if (typeof license === 'string') return license;
  return license?.type ?? (licenses.map(({ type = '' }) => type).join(' OR ') || 'none');
}

/** Returns whether at least one alternative of the license expression consists only of accepted licenses. */
export function isAccepted(name: string, license: string): boolean {
  const acceptedLicenses = FONT.test(name) ? ACCEPTED_FONT_LICENSES : ACCEPTED_LICENSES;
  const alternatives = license.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return alternatives.some(alternative =>
    alternative.split(' AND ').every(part => acceptedLicenses.includes(part.trim())),
  );
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

/** Refers to our own LICENSE file, because it contains the full text of the same license. */
const apache = (holder: string): string => `Copyright ${holder}

Licensed under the Apache License, Version 2.0. The file LICENSE of this package contains its text.`;

/** License texts of packages that have no license file. The copyright holder is the author or the vendor. */
const TEXTS_WITHOUT_FILE: [name: RegExp, text: string][] = [
  [/^@stricli\/core$/, apache('Bloomberg Finance L.P.')],
  [/^abstract-logging$/, mit('James Sumners')],
  [/^pg-types$/, mit('Brian M. Carlson')],
  [/^pgpass$/, mit('Hannes Hörl')],
  [/^react-remove-scroll-bar$/, mit('Anton Korzunov')],
  // The packages below are inside the API page's script.
  [/^@headlessui\/vue$/, mit('Tailwind Labs, Inc.')],
  [/^@replit\/codemirror-css-color-picker$/, mit('Faris Masad')],
  [/^@scalar\//, SCALAR],
  [/^(micromark(-.*)?|hast-util-is-body-ok-link|rehype-minify-whitespace)$/, TITUS_WORMER],
];

/** Returns the license text of a package that has no license file. */
export const findLicenseText = (name: string): string | undefined =>
  TEXTS_WITHOUT_FILE.find(([pattern]) => pattern.test(name))?.[1];
