import { Button } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { copyText } from '../ui/Copy.tsx';
import s from './connect.module.css';
import { type Snippet, splitProgram } from './snippets.ts';

/** Shows programs in tabs, with syntax highlighting and a copy button. `wrongType` replaces a program that needs the other token type. */
export function Snippets({
  label = 'Ways to connect',
  snippets,
  wrongType,
}: {
  label?: string;
  snippets: readonly Snippet[];
  wrongType?: ReactNode;
}) {
  const [chosenName, setChosenName] = useState<Snippet['name']>();
  const [isCopied, setCopied] = useState(false);
  const tabList = useRef<HTMLDivElement>(null);
  const id = useId();
  const selectedSnippet =
    snippets.find(({ name }) => name === chosenName) ?? snippets.find(({ text }) => text !== undefined);
  if (!selectedSnippet) return null;
  const { name, text } = selectedSnippet;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = snippets.findIndex(snippet => snippet.name === name) + step;
    const nextSnippet = snippets[(index + snippets.length) % snippets.length];
    if (nextSnippet) setChosenName(nextSnippet.name);
    requestAnimationFrame(() => tabList.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus());
  };
  const copy = async () => {
    if (text === undefined) return;
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div className={s.code}>
      <div className={s.tabs}>
        <div ref={tabList} role="tablist" aria-label={label} onKeyDown={move}>
          {snippets.map(snippet => (
            <button
              key={snippet.name}
              type="button"
              role="tab"
              aria-selected={snippet.name === name}
              aria-controls={id}
              tabIndex={snippet.name === name ? 0 : -1}
              onClick={() => setChosenName(snippet.name)}
            >
              {snippet.name}
            </button>
          ))}
        </div>
        {text !== undefined && (
          <Button
            aria-label="Copy the program"
            variant="subtle"
            color="gray"
            leftSection={isCopied ? <Check size={14} /> : <Copy size={14} />}
            onClick={() => void copy()}
          >
            <span className={s.copy}>Copy</span>
          </Button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <div id={id} role="tabpanel" aria-label={name} tabIndex={0}>
        {text === undefined ? (
          <p className={s.wrongType}>{wrongType}</p>
        ) : (
          <pre>
            {splitProgram(text.trimEnd()).map((piece, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity
              <span key={index} data-kind={piece.kind}>
                {piece.text}
              </span>
            ))}
          </pre>
        )}
      </div>
    </div>
  );
}
