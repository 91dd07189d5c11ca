import { Button } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { copyText } from '../ui/Copy.tsx';
import s from './connect.module.css';
import { piecesOf, type Snippet } from './snippets.ts';

/** Programs in tabs, with colors and a button that copies. `wrongType` replaces a program that needs a token of the other type. */
export function Snippets({
  label = 'Ways to connect',
  snippets,
  wrongType,
}: {
  label?: string;
  snippets: readonly Snippet[];
  wrongType?: ReactNode;
}) {
  const [chosen, choose] = useState<Snippet['name']>();
  const [copied, setCopied] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const shown =
    snippets.find(({ name }) => name === chosen) ?? snippets.find(({ text }) => text !== undefined);
  if (!shown) return null;
  const { name, text } = shown;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = snippets.findIndex(one => one.name === name) + step;
    const next = snippets[(at + snippets.length) % snippets.length];
    if (next) choose(next.name);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus());
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
        <div ref={list} role="tablist" aria-label={label} onKeyDown={move}>
          {snippets.map(one => (
            <button
              key={one.name}
              type="button"
              role="tab"
              aria-selected={one.name === name}
              aria-controls={id}
              tabIndex={one.name === name ? 0 : -1}
              onClick={() => choose(one.name)}
            >
              {one.name}
            </button>
          ))}
        </div>
        {text !== undefined && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={copied ? <Check size={14} /> : <Copy size={14} />}
            onClick={() => void copy()}
          >
            <span className={s.copy}>Copy</span>
            <span className="sr"> the program</span>
          </Button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <div id={id} role="tabpanel" aria-label={name} tabIndex={0}>
        {text === undefined ? (
          <p className={s.wrongType}>{wrongType}</p>
        ) : (
          <pre>
            {piecesOf(text.trimEnd()).map((piece, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity
              <span key={index} data-as={piece.as}>
                {piece.text}
              </span>
            ))}
          </pre>
        )}
      </div>
    </div>
  );
}
