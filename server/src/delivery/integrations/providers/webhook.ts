import { shownTarget } from '../../../platform/outgoing/target.ts';
import { BODY_TEMPLATE, CUSTOM_HEADERS, customHeaders, fromTemplate } from './parts.ts';
import type { PlanRequests, Provider } from './provider.ts';

const plan: PlanRequests = occasion => {
  const { parameters, event, isTest } = occasion;
  const contentType = parameters.contentType || 'application/json';
  const body = parameters.bodyTemplate
    ? fromTemplate(parameters.bodyTemplate, contentType, occasion)
    : JSON.stringify(isTest ? { ...event, test: true } : event);
  const headers = {
    ...(parameters.authorization ? { authorization: parameters.authorization } : {}),
    'content-type': contentType,
    ...customHeaders(parameters),
  };
  const url = parameters.url ?? '';
  return {
    requests: [{ url, headers, body }],
    details: { url: shownTarget(url), contentType, body: readable(body) },
  };
};

/** In the record JSON reads better as JSON. */
function readable(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

export const webhook: Provider = {
  name: 'webhook',
  displayName: 'Webhook',
  description: 'Posts every event to an address of yours, signed by the Standard Webhooks scheme.',
  howTo:
    'Enter the URL that receives the events. The response to the creation shows the signing secret, with which the receiver verifies each request; store it there.',
  parameters: [
    {
      name: 'url',
      displayName: 'Address',
      type: 'url',
      description:
        'Address that receives a POST request for each event. A response with a status from 200 to 299 confirms the delivery.',
      placeholder: 'https://example.com/hooks/flags',
      required: true,
      sensitive: true,
    },
    {
      name: 'contentType',
      displayName: 'Content type',
      type: 'text',
      description: 'The Content-Type header; application/json if left out.',
      placeholder: 'application/json',
      required: false,
      sensitive: false,
    },
    {
      name: 'authorization',
      displayName: 'Authorization',
      type: 'text',
      description: 'Authorization header, if the receiver requires one.',
      required: false,
      sensitive: true,
    },
    CUSTOM_HEADERS,
    BODY_TEMPLATE,
  ],
  tagTypes: [],
  signed: true,
  plan,
};
