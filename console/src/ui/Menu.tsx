import { Check } from 'lucide-react';
import {
  type ComponentPropsWithRef,
  cloneElement,
  createContext,
  type ElementType,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useContext,
  useId,
  useRef,
  useState,
} from 'react';
import s from './Menu.module.css';
import { useEachFrame } from './useEachFrame.ts';
import { cx } from './words.ts';

const CloseMenu = createContext<() => void>(() => {});

type Target = ReactElement<{
  id?: string;
  popoverTarget?: string;
  onKeyDown?(event: KeyboardEvent): void;
}>;
type Align = 'start' | 'end';

/** If there is less space below the button, the menu opens above it. */
const MIN_SPACE = 220;
const MAX_WIDTH = 360;
const MARGIN = 4;
/** Letters typed within this time of each other form one word. */
const TYPING_MS = 500;

/** Places the menu next to its button, on the sides with enough space. */
function placeMenu(menu: HTMLElement, button: Element, align: Align): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  const spaceBelow = innerHeight - bottom;
  const isAbove = spaceBelow < MIN_SPACE && top > spaceBelow;
  const spaceFromLeft = width - left - MARGIN;
  const spaceFromRight = right - MARGIN;
  const [preferredSpace, otherSpace] =
    align === 'start' ? [spaceFromLeft, spaceFromRight] : [spaceFromRight, spaceFromLeft];
  const isStart = (align === 'start') === preferredSpace >= Math.min(MAX_WIDTH, otherSpace);
  Object.assign(menu.style, {
    top: isAbove ? 'auto' : `${bottom + MARGIN}px`,
    bottom: isAbove ? `${innerHeight - top + MARGIN}px` : 'auto',
    left: isStart ? `${Math.max(MARGIN, left)}px` : 'auto',
    right: isStart ? 'auto' : `${Math.max(MARGIN, width - right)}px`,
    maxWidth: `${Math.min(MAX_WIDTH, isStart ? spaceFromLeft : spaceFromRight)}px`,
    maxHeight: `${(isAbove ? top : spaceBelow) - 3 * MARGIN}px`,
  });
}

/**
 * A button that opens a menu, following the ARIA menu button pattern. This component is hand-written because Mantine's menu would
 * add 30 KB to the first load, mostly for positioning. The browser's popover keeps the menu above everything, closes it on a
 * click elsewhere, and returns the focus.
 */
export function Menu({
  target,
  field,
  align = 'end',
  keepOpen = false,
  className,
  onClose,
  children,
}: {
  /** The button. */
  target: Target;
  /** An input above the entries, for example to filter them. */
  field?: ReactNode;
  /** The side of the button on which the menu opens, if there is space. */
  align?: Align;
  /** Keeps the menu open when an entry is chosen. */
  keepOpen?: boolean;
  className?: string | undefined;
  onClose?(): void;
  children: ReactNode;
}) {
  const id = useId();
  const targetId = `${id}-target`;
  const menu = useRef<HTMLDivElement>(null);
  const startsAtEnd = useRef(false);
  const typedWord = useRef({ text: '', typedAt: 0 });
  const [isOpen, setOpen] = useState(false);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('input, [role^=menuitem]') ?? [])];
  const hide = () => {
    if (menu.current?.matches(':popover-open')) menu.current.hidePopover();
  };
  const close = () => {
    hide();
    // Safari does not focus a button on click, so the popover has nothing to return the focus to.
    if (document.activeElement === document.body) document.getElementById(targetId)?.focus();
  };
  useEachFrame(isOpen, () => {
    const button = document.getElementById(targetId);
    if (menu.current && button) placeMenu(menu.current, button, align);
  });

  /**
   * Finds the next entry that begins with the letters typed so far. If there is none, finds the next entry that begins with the last
   * letter.
   */
  const findByLetter = (entries: readonly HTMLElement[], index: number, letter: string) => {
    const isWord = Date.now() - typedWord.current.typedAt < TYPING_MS;
    const find = (text: string) => {
      typedWord.current = { text, typedAt: Date.now() };
      // A word may still match the current entry. Typing the same letter again moves to the next match.
      const startIndex = text.length === 1 ? index + 1 : Math.max(index, 0);
      return [...entries.slice(startIndex), ...entries.slice(0, startIndex)].find(item =>
        item.textContent.trim().toLowerCase().startsWith(text),
      );
    };
    return (isWord && find(typedWord.current.text + letter)) || find(letter);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const entries = items();
    const index = entries.indexOf(document.activeElement as HTMLElement);
    const isInField = event.target instanceof HTMLInputElement;
    const isLetter = key.length === 1 && key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (key === 'ArrowDown') entries[(index + 1) % entries.length]?.focus();
    else if (key === 'ArrowUp') entries.at(index <= 0 ? -1 : index - 1)?.focus();
    else if (key === 'Home' && !isInField) entries[0]?.focus();
    else if (key === 'End' && !isInField) entries.at(-1)?.focus();
    else if (key === 'Escape') close();
    else if (key === ' ' && event.target instanceof HTMLAnchorElement) event.target.click();
    else if (isLetter && !isInField) findByLetter(entries, index, key.toLowerCase())?.focus();
    else {
      // Tab first returns the focus to the button, from where the browser moves the focus to the next control.
      if (key === 'Tab') close();
      return;
    }
    // The key must reach neither the page below the menu nor a shortcut.
    event.preventDefault();
  };
  /** Called when something else gets the focus, such as a dialog that a shortcut opened. */
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget && !menu.current?.contains(relatedTarget)) hide();
  };
  return (
    <CloseMenu.Provider value={keepOpen ? () => {} : close}>
      {cloneElement(target, {
        id: targetId,
        popoverTarget: id,
        onKeyDown: event => {
          if (event.altKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
          event.preventDefault();
          startsAtEnd.current = event.key === 'ArrowUp';
          menu.current?.showPopover();
        },
        ...{ 'aria-haspopup': 'menu', 'aria-expanded': isOpen },
      })}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field and the menu inside have the focus */}
      <div
        ref={menu}
        id={id}
        popover="auto"
        className={cx(s.menu, className)}
        onBeforeToggle={({ newState }) => {
          setOpen(newState === 'open');
          const button = document.getElementById(targetId);
          if (newState === 'open' && menu.current && button) placeMenu(menu.current, button, align);
        }}
        onToggle={({ newState }) => {
          if (newState !== 'open') onClose?.();
          else if (startsAtEnd.current) items().at(-1)?.focus();
          else items()[0]?.focus({ preventScroll: true });
          startsAtEnd.current = false;
        }}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
      >
        {isOpen && field}
        <div role="menu" aria-labelledby={isOpen ? targetId : undefined}>
          {isOpen && children}
        </div>
      </div>
    </CloseMenu.Provider>
  );
}

type ItemProps<As extends ElementType> = ComponentPropsWithRef<As> & {
  /** A link instead of a button: `as="a"`, or `as={Link}`. */
  as?: As;
  /** For an entry that can be checked. */
  checked?: boolean;
  danger?: boolean;
};

/** An entry of a `Menu`. */
export function MenuItem<As extends ElementType = 'button'>({
  as,
  checked,
  danger,
  children,
  onClick,
  ...props
}: ItemProps<As>) {
  const close = useContext(CloseMenu);
  const Element: ElementType = as ?? 'button';
  const isDisabled = props['aria-disabled'] === true;
  return (
    <Element
      {...(as === undefined && { type: 'button' })}
      role={checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={checked}
      tabIndex={-1}
      className={s.item}
      data-danger={danger || undefined}
      // Otherwise, Esc would also close a Mantine dialog that contains the menu.
      data-mantine-stop-propagation="true"
      {...props}
      onClick={(event: MouseEvent) => {
        // The menu closes first, so that a dialog that the entry opens returns the focus to the menu's button.
        if (!isDisabled) close();
        onClick?.(event);
      }}
    >
      {checked !== undefined && (
        <span className={s.check}>{checked && <Check size={14} aria-hidden="true" />}</span>
      )}
      {children}
    </Element>
  );
}

/** The `field` of a `Menu`, which filters its entries. */
export function MenuFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
}) {
  return (
    // A plain input is used, because TextInput would add 4 KB to the first load.
    <input
      className={s.filter}
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={event => onChange(event.target.value)}
    />
  );
}
