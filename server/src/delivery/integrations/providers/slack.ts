import { splitList } from '../../../platform/config.ts';
import { maskTarget } from '../../../platform/outgoing/target.ts';
import { CUSTOM_HEADERS, customHeaders, listTagValues, USERNAME } from './parts.ts';
import type { PlanRequests, Provider } from './provider.ts';
import { toRejection } from './slack-errors.ts';
import { buildSlackMessage } from './slack-text.ts';

const plan: PlanRequests = context => {
  const { parameters } = context;
  const url = parameters.url ?? '';
  const message = buildSlackMessage(context);
  const namedChannels = [
    ...new Set([...listTagValues(context, 'slack'), ...splitList(parameters.defaultChannel)]),
  ];
  // Current webhooks post to a fixed channel, so they need no channel name.
  const channels = namedChannels.length > 0 ? namedChannels : [undefined];
  return {
    requests: channels.map(channel => ({
      url,
      headers: { 'content-type': 'application/json', ...customHeaders(parameters) },
      body: JSON.stringify({
        ...(channel === undefined ? {} : { channel: channel.startsWith('#') ? channel : `#${channel}` }),
        username: parameters.username || 'Halyard',
        ...(parameters.emojiIcon ? { icon_emoji: parameters.emojiIcon } : {}),
        ...message,
      }),
      ...(channel === undefined ? {} : { channel: `#${channel}` }),
      rejection: ({ status, text }) => (status === 200 ? undefined : toRejection(parseErrorCode(text))),
    })),
    details: { url: maskTarget(url), channels: namedChannels, message: message.text },
  };
};

/** Returns Slack's error code, which is a single word. A longer response does not come from Slack. */
const parseErrorCode = (text: string): string | undefined => /^[a-z_]{1,60}$/.exec(text.trim())?.[0];

export const slack: Provider = {
  name: 'slack',
  displayName: 'Slack incoming webhook',
  description: 'Posts messages to a Slack channel through an incoming webhook.',
  howTo:
    'In Slack, create an app, enable incoming webhooks, add a webhook for your channel, and enter its URL.',
  parameters: [
    {
      name: 'url',
      displayName: 'Webhook URL',
      type: 'url',
      description: 'Shown in Slack. It is a secret.',
      placeholder: 'https://hooks.slack.com/services/…',
      required: true,
      sensitive: true,
    },
    {
      name: 'defaultChannel',
      displayName: 'Channel',
      type: 'textfield',
      description: 'Only for webhooks that can post to any channel. Others ignore it.',
      placeholder: 'releases',
      required: false,
      sensitive: false,
    },
    USERNAME,
    {
      name: 'emojiIcon',
      displayName: 'Emoji',
      type: 'textfield',
      description: 'Emoji shown next to the name.',
      placeholder: ':flags:',
      required: false,
      sensitive: false,
    },
    CUSTOM_HEADERS,
  ],
  tagTypes: [{ name: 'slack', description: 'Slack channel for messages about the feature', icon: 'S' }],
  signed: false,
  plan,
};
