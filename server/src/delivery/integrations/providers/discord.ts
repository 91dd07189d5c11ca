import { ellipsize } from '@halyard/plane/platform/text.ts';
import { maskTarget } from '../../../platform/outgoing/target.ts';
import { linkTo, USERNAME } from './parts.ts';
import type { DeliveryContext, PlanRequests, Provider } from './provider.ts';

const MAX_TITLE = 256;
const MAX_DESCRIPTION = 4_096;
const MAX_FIELD = 1_024;

const plan: PlanRequests = context => {
  const url = context.parameters.url ?? '';
  const message = {
    username: ellipsize(context.parameters.username || 'Halyard', 80),
    embeds: [buildEmbed(context)],
    // A flag name such as @everyone must not notify anybody.
    allowed_mentions: { parse: [] },
  };
  return {
    requests: [{ url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) }],
    details: { url: maskTarget(url), body: message },
  };
};

function buildEmbed(context: DeliveryContext) {
  const { event, label, summary } = context;
  const field = (name: string, value: string | null) =>
    value === null ? [] : [{ name, value: ellipsize(value, MAX_FIELD), inline: true }];
  return {
    title: ellipsize(label, MAX_TITLE),
    description: ellipsize(summary, MAX_DESCRIPTION),
    url: linkTo(context),
    timestamp: event.createdAt,
    fields: [...field('Project', event.project), ...field('Environment', event.environment)],
  };
}

export const discord: Provider = {
  name: 'discord',
  displayName: 'Discord',
  description: 'Posts messages to a Discord channel through a webhook.',
  howTo: 'In Discord, open the channel settings, create a webhook under Integrations, and enter its URL.',
  parameters: [
    {
      name: 'url',
      displayName: 'Webhook URL',
      type: 'url',
      description: 'Shown in the Discord channel settings. It is a secret.',
      placeholder: 'https://discord.com/api/webhooks/…',
      required: true,
      sensitive: true,
    },
    USERNAME,
  ],
  tagTypes: [],
  signed: false,
  plan,
};
