import { busNames, directGet } from '../../../../plane/src/feed/bus.ts';
import type { Feed } from '../../../../plane/src/snapshot/format.ts';

/** The account that has the streams. Only Halyard servers log in to it. */
const ACCOUNT = 'HALYARD';

/** A feed, and the public nkey of its edges. */
export type FeedAccount = { feed: Feed; user: string };

const accountOf = (feed: Feed): string => `FEED_${busNames(feed).id}`;

/** What edges of a feed subscribe to, and the requests that they may send. */
const rightsOf = (feed: Feed) => {
  const { frames, head, framesStream, snapshotStream } = busNames(feed);
  return { subjects: [frames, head], requests: [framesStream, snapshotStream].map(directGet) };
};

const quoted = (texts: string[]): string => `[${texts.map(text => JSON.stringify(text)).join(', ')}]`;

const describe = ({ environment, projects }: Feed): string =>
  `environment ${JSON.stringify(environment)}, ${projects === null ? 'all projects' : `projects ${quoted(projects)}`}`;

function exportsOf({ feed }: FeedAccount): string[] {
  const { subjects, requests } = rightsOf(feed);
  const to = `accounts: [${accountOf(feed)}]`;
  return [
    ...subjects.map(subject => `      { stream: "${subject}", ${to} }`),
    // A batch is a stream of responses.
    ...requests.map(subject => `      { service: "${subject}", response_type: stream, ${to} }`),
  ];
}

function accountText({ feed, user }: FeedAccount): string {
  const { subjects, requests } = rightsOf(feed);
  const from = (subject: string) => `{ account: ${ACCOUNT}, subject: "${subject}" }`;
  return `  # The edges of ${describe(feed)}
  ${accountOf(feed)}: {
    users: [
      { nkey: ${user}, permissions: {
        publish: ${quoted(requests)}
        subscribe: ${quoted([...subjects, '_INBOX.>'])}
      } }
    ]
    imports: [
${[
  ...subjects.map(subject => `      { stream: ${from(subject)} }`),
  ...requests.map(subject => `      { service: ${from(subject)} }`),
].join('\n')}
    ]
  }`;
}

/** The part of the configuration of NATS servers that depends on the feeds. Ports, TLS and the cluster are the operator's. */
export const natsConfig = (
  publisher: string,
  feeds: FeedAccount[],
): string => `# Written by halyard nats-config. Include it in nats-server.conf, which sets ports, TLS, store_dir and the cluster.
# A snapshot is one message.
max_payload: 8MB
jetstream: {
  # An acknowledged message is on disk.
  sync_interval: always
}
accounts: {
  # The streams. Halyard servers create them and publish to them.
  ${ACCOUNT}: {
    jetstream: enabled
    users: [{ nkey: ${publisher} }]
    exports: [
${feeds.flatMap(exportsOf).join('\n')}
    ]
  }
${feeds.map(accountText).join('\n')}
}
`;
