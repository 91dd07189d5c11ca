import { ellipsize } from '../../../../../plane/src/platform/text.ts';
import { linkTo, withoutEscapes } from './parts.ts';
import type { Occasion } from './provider.ts';

const MAX_TEXT = 3_000;

/** One line of Markdown in Slack's dialect, where &, < and > are special and everything else is plain text. */
export function slackText(markdown: string): string {
  // Removes the escapes of the summary, and escapes what Slack would format.
  const parts = markdown.split(/(\*\*)/).map(part => (part === '**' ? '*' : plain(part)));
  return ellipsize(parts.join(''), MAX_TEXT);
}

const plain = (text: string): string =>
  withoutEscapes(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The message as both Slack providers send it: a line of text, and a button to the page about it. */
export function slackMessage(occasion: Occasion) {
  const text = slackText(occasion.summary);
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
            url: linkTo(occasion),
            action_id: 'open',
          },
        ],
      },
    ],
  };
}
