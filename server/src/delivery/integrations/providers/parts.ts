import type { Occasion, ParameterDefinition, Parameters } from './provider.ts';
import { renderTemplate } from './template.ts';

/** The author of messages in a chat. */
export const USERNAME: ParameterDefinition = {
  name: 'username',
  displayName: 'User name',
  type: 'textfield',
  description: 'Under which name messages appear; Halyard if left out.',
  required: false,
  sensitive: false,
};

export const CUSTOM_HEADERS: ParameterDefinition = {
  name: 'customHeaders',
  displayName: 'Extra HTTP headers',
  type: 'headers',
  description: 'A JSON object of header names and values that are sent along.',
  placeholder: '{ "X-Team": "checkout" }',
  required: false,
  sensitive: true,
};

export const BODY_TEMPLATE: ParameterDefinition = {
  name: 'bodyTemplate',
  displayName: 'Body template',
  type: 'template',
  description:
    'A Mustache template for the body. It knows event (all fields of the event), eventJson (the JSON of the event as one JSON text, with its quotes) and eventMarkdown (one line that says what happened). Two braces escape for HTML, three do not.',
  placeholder: '{ "text": "{{{eventMarkdown}}}" }',
  required: false,
  sensitive: false,
};

/** The parameter was checked when it was saved. */
export const customHeaders = ({ customHeaders: text }: Parameters): Record<string, string> =>
  text ? (JSON.parse(text) as Record<string, string>) : {};

/** Renders a body template; in a JSON body the one line of Markdown must stand inside a JSON text. */
export function fromTemplate(template: string, contentType: string, { event, summary }: Occasion): string {
  const view = {
    event,
    // Encoded twice, as existing templates expect it: a JSON text that holds the JSON of the event.
    eventJson: template.includes('eventJson') ? JSON.stringify(JSON.stringify(event)) : '',
    eventMarkdown: contentType.includes('json') ? JSON.stringify(summary).slice(1, -1) : summary,
  };
  return renderTemplate(template, view);
}

/** Values of the tags of one type: which channels a feature is talked about in. */
export const tagValues = ({ event }: Occasion, type: string): string[] =>
  event.tags.filter(tag => tag.type === type).map(tag => tag.value);

export const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');

/** The page about the feature, or failing that about the project, or failing that the log. */
export function linkTo({ event, publicUrl }: Occasion): string {
  const project =
    event.project === null ? undefined : `${publicUrl}/projects/${encodeURIComponent(event.project)}`;
  if (project === undefined) return `${publicUrl}/history`;
  return event.featureName === null
    ? project
    : `${project}/features/${encodeURIComponent(event.featureName)}`;
}

/** Backslashes escape in Markdown; where they would be shown, the text is read plain. */
export const withoutEscapes = (markdown: string): string => markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');
