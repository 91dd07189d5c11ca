import { busNames, directGet } from '../../../../plane/src/feed/bus.ts';
import type { Feed } from '../../../../plane/src/snapshot/format.ts';
import { streamsOf } from './streams.ts';

/** The account that has the streams. Only servers and leaf nodes log in to it. */
const ACCOUNT = 'HALYARD';
/** The JetStream domain of the NATS servers that Halyard publishes to. */
const HUB_DOMAIN = 'hub';
const LEAF_PORT = 7_422;

/** A feed, and the public nkey of its edges. */
export type FeedAccount = { feed: Feed; user: string };

export type Region = {
  /** Names the JetStream domain. */
  name: string;
  /** Where the leaf node finds the hub. */
  hub: string;
  /** The public nkey of the leaf node, and its seed. */
  user: string;
  seed: string;
};

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

function accountsText(users: string[], feeds: FeedAccount[]): string {
  return `accounts: {
  # The streams. Halyard servers create them and publish to them.
  ${ACCOUNT}: {
    jetstream: enabled
    users: [${users.map(user => `{ nkey: ${user} }`).join(', ')}]
    exports: [
${feeds.flatMap(exportsOf).join('\n')}
    ]
  }
${feeds.map(accountText).join('\n')}
}
`;
}

const jetstreamText = (domain: string): string => `# A snapshot is one message.
max_payload: 8MB
jetstream: {
  domain: ${domain}
  # An acknowledged message is on disk.
  sync_interval: always
}
`;

/** The part of the configuration of the NATS servers that Halyard publishes to. Ports, TLS and the cluster are the operator's. */
export const hubConfig = (publisher: string, feeds: FeedAccount[], regions: Pick<Region, 'user'>[]): string =>
  `# Written by halyard nats-config. Include it in nats-server.conf, which sets ports, TLS, store_dir and the cluster.
${jetstreamText(HUB_DOMAIN)}${regions.length > 0 ? `leafnodes: { port: ${LEAF_PORT} }\n` : ''}${accountsText([publisher, ...regions.map(({ user }) => user)], feeds)}`;

/**
 * The same for a leaf node, which keeps mirrors of the streams and continues alone if the hub is unreachable. It contains a secret, because
 * nats-server does not read the seed from a file.
 */
export const leafConfig = ({ name, hub, user, seed }: Region, feeds: FeedAccount[]): string =>
  `# Written by halyard nats-config. Include it in the nats-server.conf of region ${name}.
${jetstreamText(name)}leafnodes: {
  remotes: [{ url: ${JSON.stringify(hub)}, account: ${ACCOUNT}, nkey: ${seed} }]
}
${accountsText([user], feeds)}`;

/** The streams of a leaf node: copies of those of the hub, with the same names, so that edges need not know where they are. */
export const mirrorsOf = (feeds: Pick<FeedAccount, 'feed'>[]): { name: string }[] =>
  feeds
    .flatMap(({ feed }) => streamsOf(busNames(feed), 1))
    .map(({ subjects: _, ...config }) => ({
      ...config,
      mirror: { name: config.name, external: { api: `$JS.${HUB_DOMAIN}.API`, deliver: '' } },
    }));
