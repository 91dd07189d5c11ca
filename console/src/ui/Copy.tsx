import { ActionIcon } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useShortcuts } from './shortcuts.ts';
import { Tooltip } from './Tooltip.tsx';
import { toast } from './toasts.ts';

/** Copies a string and shows a confirmation. */
export async function copyText(text: string, message = 'Copied.'): Promise<void> {
  await navigator.clipboard.writeText(text);
  toast({ message });
}

/** A button that copies `text`. `label` says what it copies: "Copy name". */
export function CopyButton({ text, label, size = 15 }: { text: string; label: string; size?: number }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={() => void copy()}>
        {isCopied ? <Check size={size} /> : <Copy size={size} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** A button that copies the URL of a console page. The C key does the same. */
export function CopyLink({ path }: { path: string }) {
  const link = `${location.origin}${path}`;
  useShortcuts([
    { keys: 'c', description: 'Copy page URL', run: () => void copyText(link, 'Page URL copied.') },
  ]);
  return <CopyButton text={link} label="Copy page URL" />;
}
