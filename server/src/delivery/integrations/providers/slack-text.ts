import { ellipsize } from '@halyard/plane/platform/text.ts';
import { linkTo, removeEscapes } from './parts.ts';
import type { DeliveryContext } from './provider.ts';

const MAX_TEXT = 3_000;

/** Converts one line of Markdown to Slack's dialect, where &, < and > are special and everything else is plain text. */
export function toSlackText(markdown: string): string {
  // Escapes for Slack rather than for Markdown.
  const parts = markdown.split(/(\*\*)/).map(part => (part === '**' ? '*' : escapeText(part)));
  return ellipsize(parts.join(''), MAX_TEXT);
}

const escapeText = (text: string): string =>
  removeEscapes(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Builds the message that both Slack providers send: a line of text, and a button that opens the page about it. */
export function buildSlackMessage(context: DeliveryContext) {
  const text = toSlackText(context.summary);
  return {
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text } },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            text: { type: 'plain_text', text: 'Open in Halyard' },
            url: linkTo(context),
            action_id: 'open',
          },
        ],
      },
    ],
  };
}
