import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostileRequest } from './requests.ts';

const MOST_INLINE = 2_000;

/** A command that repeats the request. A long or binary body goes into a file. Tokens are left to the reader. */
export function asCurl(request: HostileRequest, number: number): string {
  const { method, path, headers, body, caller, delivery } = request;
  const parts = [
    'curl -i --path-as-is',
    `-X ${method}`,
    ...(caller === 'nobody'
      ? []
      : [`-H "Authorization: $TOKEN_OF_${caller.toUpperCase().replace('-', '_')}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${dataOf(body, number)}`]),
    quoted(path.startsWith('/') ? `http://127.0.0.1:4242${path}` : path),
  ];
  return `${parts.join(' ')}${delivery === 'whole' ? '' : `   # ${delivery}`}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function dataOf(body: Buffer, number: number): string {
  const text = body.toString('utf8');
  if (body.length <= MOST_INLINE && Buffer.from(text).equals(body) && !text.includes('\0'))
    return quoted(text);
  const file = join(tmpdir(), `hostile-${number}.body`);
  writeFileSync(file, body);
  return `@${file}`;
}
