import { maskTarget } from '../../../platform/outgoing/target.ts';
import { CUSTOM_HEADERS, customHeaders, linkTo } from './parts.ts';
import type { DeliveryContext, PlanRequests, Provider } from './provider.ts';

const plan: PlanRequests = context => {
  const url = context.parameters.url ?? '';
  const message = {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: buildCard(context) }],
  };
  return {
    requests: [
      {
        url,
        headers: { 'content-type': 'application/json', ...customHeaders(context.parameters) },
        body: JSON.stringify(message),
      },
    ],
    details: { url: maskTarget(url), body: message },
  };
};

function buildCard(context: DeliveryContext) {
  const { event, label, summary } = context;
  const facts = [
    { title: 'By', value: actorName(event) },
    ...(event.project === null ? [] : [{ title: 'Project', value: event.project }]),
    ...(event.environment === null ? [] : [{ title: 'Environment', value: event.environment }]),
  ];
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: label, weight: 'Bolder', size: 'Medium', wrap: true },
      { type: 'TextBlock', text: summary, wrap: true },
      { type: 'FactSet', facts },
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Open in Halyard', url: linkTo(context) }],
  };
}

export const teamsWorkflow: Provider = {
  name: 'teamsworkflow',
  displayName: 'Microsoft Teams workflow',
  description: 'Posts adaptive cards to a Teams channel or chat through a workflow.',
  howTo:
    'In Teams, create the workflow "Post to a channel when a webhook request is received" for your channel, and enter its URL.',
  parameters: [
    {
      name: 'url',
      displayName: 'Workflow URL',
      type: 'url',
      description:
        'The URL that the workflow "Post to a channel when a webhook request is received" shows. It is a secret.',
      required: true,
      sensitive: true,
    },
    CUSTOM_HEADERS,
  ],
  tagTypes: [],
  signed: false,
  plan,
};

const actorName = ({ createdBy, createdByKind, createdByToken }: DeliveryContext['event']): string =>
  createdByKind === 'agent' && createdByToken ? `agent ${createdByToken.name} for ${createdBy}` : createdBy;
