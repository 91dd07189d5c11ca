import { shownTarget } from '../../../platform/outgoing/target.ts';
import { CUSTOM_HEADERS, customHeaders, linkTo } from './parts.ts';
import type { Occasion, PlanRequests, Provider } from './provider.ts';

const plan: PlanRequests = occasion => {
  const url = occasion.parameters.url ?? '';
  const message = {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: cardOf(occasion) }],
  };
  return {
    requests: [
      {
        url,
        headers: { 'content-type': 'application/json', ...customHeaders(occasion.parameters) },
        body: JSON.stringify(message),
      },
    ],
    details: { url: shownTarget(url), body: message },
  };
};

function cardOf(occasion: Occasion) {
  const { event, label, summary } = occasion;
  const facts = [
    { title: 'By', value: byWhom(event) },
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
    actions: [{ type: 'Action.OpenUrl', title: 'Open in Halyard', url: linkTo(occasion) }],
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

const byWhom = ({ createdBy, createdByKind, createdByToken }: Occasion['event']): string =>
  createdByKind === 'agent' && createdByToken ? `agent ${createdByToken.name} for ${createdBy}` : createdBy;
