// Publishes a feed's signed snapshots to a folder or an S3-compatible store, for CDNs and the applications that run on them. It
// reads the snapshots as an edge does, so it needs neither the database nor the signing key.

import { EdgeConfigError, readEdgeConfig } from '../../edge/src/config.ts';
import { makeLog } from '../../edge/src/log.ts';
import { openFolder } from '../../edge/src/publishing/folder.ts';
import { publishSnapshots } from '../../edge/src/publishing/publish.ts';
import { openS3, readS3Settings } from '../../edge/src/publishing/s3.ts';
import { openTrust } from '../../edge/src/trust.ts';
import { makeUpstream } from '../../edge/src/upstream.ts';
import { readOptions, rejectOption, takePositionals } from '../src/platform/command-line.ts';
import { howToRun } from '../src/platform/files.ts';

const run = howToRun('snapshot', 'publish').replace(' -- ', ' ');
const none = 'none';

const positionals = takePositionals();
const {
  to: destination,
  endpoint,
  follow,
} = readOptions({
  run,
  does: `Publishes the signed snapshot of a feed to a folder or an S3-compatible store, for CDNs. An older snapshot never replaces a newer
one. It reads the feed from a server or an edge, with the enrolment of an edge token.`,
  options: {
    to: { type: 'string', meaning: 'A folder, or s3://bucket/prefix. Use a different one for each feed' },
    endpoint: {
      type: 'string',
      meaning: 'URL of an S3-compatible store, if it is not Amazon S3, such as https://s3.example.com',
    },
    follow: { type: 'boolean', meaning: 'Keep running, and publish every change within seconds' },
  },
  variables: {
    HALYARD_EDGE_ENROLMENT: {
      meaning: 'Enrolment of an edge token, or the path of a file with it in HALYARD_EDGE_ENROLMENT_FILE',
      default: none,
    },
    HALYARD_EDGE_UPSTREAM: {
      meaning: 'URL of the server or edge to read from',
      default: 'the URL in the enrolment',
    },
    HALYARD_DATA_DIR: { meaning: 'Folder for new signing keys of the server', default: none },
    AWS_ACCESS_KEY_ID: {
      meaning: 'Access key for the store, or a file that contains it in AWS_ACCESS_KEY_ID_FILE',
      default: none,
    },
    AWS_SECRET_ACCESS_KEY: {
      meaning: 'Secret of the access key, or a file that contains it in AWS_SECRET_ACCESS_KEY_FILE',
      default: none,
    },
    AWS_SESSION_TOKEN: {
      meaning: 'Token of temporary credentials, or a file that contains it in AWS_SESSION_TOKEN_FILE',
      default: none,
    },
    AWS_REGION: { meaning: 'Region of the bucket', default: 'us-east-1' },
  },
});
if (positionals.length !== 1 || positionals[0] !== 'publish')
  rejectOption(
    run,
    `There is no command "${['snapshot', ...positionals].join(' ')}". Use "snapshot publish"`,
  );
if (destination === undefined || destination === '') rejectOption(run, '--to is required');
const isS3 = destination.startsWith('s3://');
if (!isS3 && /^[a-z][a-z0-9+.-]+:/i.test(destination))
  rejectOption(run, `--to "${destination}" must be a folder or s3://bucket/prefix`);
if (!isS3 && endpoint !== undefined) rejectOption(run, '--endpoint requires --to s3://bucket/prefix');

const stopController = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopController.abort());
const log = makeLog(line => process.stdout.write(line));

try {
  const { enrolment, dataDir } = readEdgeConfig(process.env);
  const store = isS3
    ? openS3(readS3Settings(destination, endpoint, process.env))
    : await openFolder(destination, log);
  const trust = await openTrust(enrolment.keys, dataDir, log);
  const upstream = makeUpstream(enrolment.url, enrolment.token, () => trust.keys);
  const parts = { store, upstream, trust, feed: enrolment.feed, log };
  await publishSnapshots(parts, follow === true, stopController.signal);
  await store.close();
  process.exit(0);
} catch (error) {
  const { message, cause } = error as Error;
  const detail = cause instanceof Error && !(error instanceof EdgeConfigError) ? ` (${cause.message})` : '';
  process.stderr.write(`${message}${detail}\n`);
  process.exit(1);
}
