import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AwsClient } from 'aws4fetch';
import { readAtMost } from '../upstream.ts';
import { ChangedError, type Headers, type ObjectStore } from './object-store.ts';

const TIMEOUT_MS = 120_000;
const MAX_LIST_BYTES = 4 * 1_024 * 1_024;
const MAX_ERROR_BYTES = 65_536;
const LOCATION = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

export type S3Settings = {
  endpoint: string;
  region: string;
  bucket: string;
  /** Empty, or with a slash at the end. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
};

/** Throws an error that names every problem, but no secret. */
export function readS3Settings(
  location: string,
  endpoint: string | undefined,
  env: NodeJS.ProcessEnv,
): S3Settings {
  const problems: string[] = [];
  const readSecret = (name: string): string | undefined => {
    const file = env[`${name}_FILE`];
    try {
      return (file ? readFileSync(file, 'utf8') : env[name])?.trim() || undefined;
    } catch (error) {
      problems.push(`${name}_FILE: ${(error as Error).message}`);
      return undefined;
    }
  };
  const readRequired = (name: string): string => {
    const value = readSecret(name);
    if (value === undefined) problems.push(`${name} is required, or ${name}_FILE with the path of a file`);
    return value ?? '';
  };
  const [, bucket, path = ''] = LOCATION.exec(location) ?? [];
  if (bucket === undefined) problems.push(`--to "${location}" must be like s3://bucket/prefix`);
  const region = env.AWS_REGION?.trim() || 'us-east-1';
  const url = endpoint ?? `https://s3.${region}.amazonaws.com`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    problems.push(`--endpoint "${url}" must be a URL that starts with https:// or http://`);
  const settings = {
    endpoint: url.replace(/\/+$/, ''),
    region,
    bucket: bucket ?? '',
    prefix: path.replace(/^\/+|\/+$/g, '').replace(/.$/, '$&/'),
    accessKeyId: readRequired('AWS_ACCESS_KEY_ID'),
    secretAccessKey: readRequired('AWS_SECRET_ACCESS_KEY'),
    sessionToken: readSecret('AWS_SESSION_TOKEN'),
  };
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

/** Opens a store that supports the Amazon S3 API. */
export function openS3({ endpoint, bucket, prefix, sessionToken, ...settings }: S3Settings): ObjectStore {
  const client = new AwsClient({
    ...settings,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 's3',
    // The caller retries.
    retries: 0,
  });
  const buildUrl = (key: string): string =>
    `${endpoint}/${bucket}/${`${prefix}${key}`.split('/').map(encodeURIComponent).join('/')}`;

  const request = async (
    method: string,
    url: string,
    headers: Record<string, string> = {},
    body?: Buffer,
  ): Promise<Response> =>
    await client.fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // With the hash, the store rejects a body that was damaged on the way.
      headers: { ...headers, 'x-amz-content-sha256': hash('sha256', body ?? '') },
      ...(body && { body: new Uint8Array(body) }),
    });

  const put = async (
    key: string,
    bytes: Buffer,
    { contentType, cacheControl }: Headers,
    condition: Record<string, string> = {},
  ): Promise<void> => {
    const headers = { 'content-type': contentType, 'cache-control': cacheControl, ...condition };
    const response = await request('PUT', buildUrl(key), headers, bytes);
    // 409 means that somebody else is writing the object at this moment.
    if (Object.keys(condition).length > 0 && (response.status === 412 || response.status === 409))
      throw new ChangedError(`"${key}" has changed`);
    await requireSuccess(response);
  };

  return {
    name: `s3://${bucket}/${prefix}`,
    read: async (key, maxBytes) => {
      const response = await request('GET', buildUrl(key));
      if (response.status === 404 && (await errorCodeIn(response)) !== 'NoSuchBucket') return undefined;
      if (!response.ok) await requireSuccess(response);
      const bytes = await readAtMost(response, maxBytes);
      return { bytes, tag: response.headers.get('etag') ?? '' };
    },
    write: put,
    replace: (key, bytes, headers, previous) =>
      put(key, bytes, headers, previous ? { 'if-match': previous.tag } : { 'if-none-match': '*' }),
    list: async keyPrefix => {
      const query = new URLSearchParams({ 'list-type': '2', prefix: `${prefix}${keyPrefix}` });
      const response = await request('GET', `${endpoint}/${bucket}?${query}`);
      if (!response.ok) await requireSuccess(response);
      return parseContents((await readAtMost(response, MAX_LIST_BYTES)).toString()).map(
        ({ name, modifiedAt }) => ({ key: `${keyPrefix}${name}`, modifiedAt }),
      );
    },
    remove: async key => await requireSuccess(await request('DELETE', buildUrl(key))),
    close: async () => {},
  };
}

/** Returns the last part of each key, and when the object was written. XML escapes no character that our keys can contain. */
function parseContents(xml: string): { name: string; modifiedAt: number }[] {
  return [...xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)].flatMap(([, entry = '']) => {
    const name = /<Key>(?:[^<]*\/)?([\w.-]+)<\/Key>/.exec(entry)?.[1];
    const modifiedAt = Date.parse(/<LastModified>([^<]+)</.exec(entry)?.[1] ?? '');
    return name === undefined || Number.isNaN(modifiedAt) ? [] : [{ name, modifiedAt }];
  });
}

/** Returns the error's name. The rest of the body is not shown, because it can contain what was signed. */
const errorCodeIn = async (response: Response): Promise<string> =>
  /<Code>(\w{1,64})<\/Code>/.exec((await readAtMost(response, MAX_ERROR_BYTES)).toString())?.[1] ?? '';

async function requireSuccess(response: Response): Promise<void> {
  if (!response.ok)
    throw new Error(`The store responded with ${response.status} ${await errorCodeIn(response)}`.trim());
  await response.body?.cancel();
}
