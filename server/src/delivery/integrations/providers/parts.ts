import type { DeliveryContext, ParameterDefinition, Parameters } from './provider.ts';
import { renderTemplate } from './template.ts';

/** The name shown as the sender of messages. */
export const USERNAME: ParameterDefinition = {
  name: 'username',
  displayName: 'Username',
  type: 'textfield',
  description: 'Name shown as the sender of messages. Default: Halyard',
  required: false,
  sensitive: false,
};

export const CUSTOM_HEADERS: ParameterDefinition = {
  name: 'customHeaders',
  displayName: 'Extra HTTP headers',
  type: 'headers',
  description: 'A JSON object with the names and values of additional headers.',
  placeholder: '{ "X-Team": "checkout" }',
  required: false,
  sensitive: true,
};

export const BODY_TEMPLATE: ParameterDefinition = {
  name: 'bodyTemplate',
  displayName: 'Body template',
  type: 'template',
  description:
    'A Mustache template for the body. It can use event (all fields of the event), eventJson (the whole event as a JSON string, with its quotation marks) and eventMarkdown (one line that says what happened). Two braces escape HTML, three do not.',
  placeholder: '{ "text": "{{{eventMarkdown}}}" }',
  required: false,
  sensitive: false,
};

/** Parses the parameter without validation, because the server validated it when it was saved. */
export const customHeaders = ({ customHeaders: text }: Parameters): Record<string, string> =>
  text ? (JSON.parse(text) as Record<string, string>) : {};

/** Renders a body template. In a JSON body, the Markdown line is escaped so that it can be part of a JSON string. */
export function renderBody(
  template: string,
  contentType: string,
  { event, summary }: DeliveryContext,
): string {
  const view = {
    event,
    // A JSON string that contains the event as JSON. It is encoded twice, because existing templates expect that.
    eventJson: template.includes('eventJson') ? JSON.stringify(JSON.stringify(event)) : '',
    eventMarkdown: contentType.includes('json') ? JSON.stringify(summary).slice(1, -1) : summary,
  };
  return renderTemplate(template, view);
}

/** Returns the values of an event's tags of one type, such as the channels for messages about a feature. */
export const listTagValues = ({ event }: DeliveryContext, type: string): string[] =>
  event.tags.filter(tag => tag.type === type).map(tag => tag.value);

/** Returns the URL of the feature page or, without a feature, of the project page or, without a project, of the event log. */
export function linkTo({ event, publicUrl }: DeliveryContext): string {
  const project =
    event.project === null ? undefined : `${publicUrl}/projects/${encodeURIComponent(event.project)}`;
  if (project === undefined) return `${publicUrl}/history`;
  return event.featureName === null
    ? project
    : `${project}/features/${encodeURIComponent(event.featureName)}`;
}

/** Removes Markdown's backslash escapes, for receivers that would display them. */
export const removeEscapes = (markdown: string): string => markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
