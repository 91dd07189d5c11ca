import { splitList } from '../../../platform/config.ts';
import { listTagValues } from './parts.ts';
import type { PlanRequests, Provider } from './provider.ts';
import { toRejection } from './slack-errors.ts';
import { buildSlackMessage } from './slack-text.ts';

const API = 'https://slack.com/api';

const plan: PlanRequests = context => {
  const { parameters } = context;
  const channels = [
    ...new Set([...listTagValues(context, 'slack'), ...splitList(parameters.defaultChannels)]),
  ];
  const message = buildSlackMessage(context);
  const base = (parameters.apiUrl || API).replace(/\/+$/, '');
  return {
    requests: channels.map(channel => ({
      url: `${base}/chat.postMessage`,
      headers: {
        authorization: `Bearer ${parameters.accessToken}`,
        'content-type': 'application/json; charset=utf-8',
      },
      body: JSON.stringify({ channel, ...message, unfurl_links: false }),
      channel: `#${channel}`,
      rejection: ({ text }) => toRejection(parseError(text)),
    })),
    details: { channels, message: message.text },
  };
};

/** Returns the error in the body, because Slack responds with 200 even if it rejects the message. */
function parseError(text: string): string | undefined {
  try {
    const { ok, error } = JSON.parse(text) as { ok?: boolean; error?: unknown };
    return ok === false ? String(error ?? '') : undefined;
  } catch {
    return undefined;
  }
}

export const slackApp: Provider = {
  name: 'slack-app',
  displayName: 'Slack app',
  description:
    "Posts messages as a Slack app, to the channels in a feature's slack tags and to the default channels.",
  howTo:
    'In Slack, create an app with the bot scope chat:write, install it in your workspace, and enter its bot token. Invite the app to each channel that it posts to.',
  parameters: [
    {
      name: 'accessToken',
      displayName: 'Access token',
      type: 'text',
      description: 'The bot token of the app, with the scope chat:write.',
      placeholder: 'xoxb-…',
      required: true,
      sensitive: true,
    },
    {
      name: 'defaultChannels',
      displayName: 'Channels',
      type: 'textfield',
      description: 'Channels that receive every message, separated by commas.',
      placeholder: 'releases, on-call',
      required: false,
      sensitive: false,
    },
    {
      name: 'apiUrl',
      displayName: 'Slack API URL',
      type: 'url',
      description: `Only for Slack environments with a different API URL. Default: ${API}`,
      placeholder: API,
      required: false,
      sensitive: false,
    },
  ],
  tagTypes: [{ name: 'slack', description: 'Slack channel for messages about the feature', icon: 'S' }],
  signed: false,
  plan,
};
