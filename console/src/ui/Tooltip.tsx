import {
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import s from './Tooltip.module.css';
import { cx } from './words.ts';

type Handlers = {
  onPointerEnter?(event: PointerEvent): void;
  onPointerLeave?(event: PointerEvent): void;
  onPointerDown?(event: PointerEvent): void;
  onFocus?(event: FocusEvent): void;
  onBlur?(event: FocusEvent): void;
  'aria-describedby'?: string;
};

const GAP = 6;
/** The time for the pointer to cross the gap to the words, which people who magnify the screen do to read them. */
const CROSSING_MS = 100;

/** Hides the words that are shown. Only one tooltip is shown at a time. */
let hideShown: (() => void) | undefined;

/**
 * Words about a control, which appear while the pointer is on it or, with `onFocus`, while it has the focus. Esc hides them. They are
 * hand-written because Mantine's tooltip would add 25 KB to every page, mostly to place them.
 */
export function Tooltip({
  label,
  delay = 350,
  onFocus: showsOnFocus = false,
  clickThrough = false,
  children,
}: {
  label: ReactNode;
  /** Milliseconds before it appears. */
  delay?: number;
  onFocus?: boolean;
  /** The pointer reaches what the words cover, instead of the words. For controls that are close together. */
  clickThrough?: boolean;
  /** An element that accepts these handlers. */
  children: ReactElement<object>;
}) {
  const id = useId();
  const [target, setTarget] = useState<Element>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stay = () => clearTimeout(timer.current);
  const after = (wait: number, run: () => void) => {
    stay();
    if (wait === 0) run();
    else timer.current = setTimeout(run, wait);
  };
  const hide = (wait = 0) => after(wait, () => setTarget(undefined));
  const show = (element: Element, wait: number) =>
    after(wait, () => {
      if (!element.isConnected) return;
      hideShown?.();
      hideShown = hide;
      setTarget(element);
    });
  useEffect(() => () => clearTimeout(timer.current), []);
  const child = children as ReactElement<Handlers>;
  const { props } = child;
  return (
    <>
      {cloneElement(child, {
        onPointerEnter: event => {
          props.onPointerEnter?.(event);
          // A touch has no end of hovering.
          if (event.pointerType !== 'touch') show(event.currentTarget, delay);
        },
        onPointerLeave: event => {
          props.onPointerLeave?.(event);
          const hasFocus = event.currentTarget.matches(':focus-visible, :has(:focus-visible)');
          if (!showsOnFocus || !hasFocus) hide(clickThrough ? 0 : CROSSING_MS);
        },
        onPointerDown: event => {
          props.onPointerDown?.(event);
          if (!showsOnFocus) hide();
        },
        onFocus: event => {
          props.onFocus?.(event);
          if (showsOnFocus) show(event.currentTarget, 0);
        },
        onBlur: event => {
          props.onBlur?.(event);
          hide();
        },
        ...(target && { 'aria-describedby': [props['aria-describedby'], id].filter(Boolean).join(' ') }),
      })}
      {target && (
        <Words
          id={id}
          target={target}
          clickThrough={clickThrough}
          onEnter={stay}
          onLeave={() => hide(CROSSING_MS)}
          onEscape={hide}
        >
          {label}
        </Words>
      )}
    </>
  );
}

/** Puts the words above the target, or below it if there is no space. */
function place(words: HTMLElement, target: Element): void {
  const { left, right, top, bottom } = target.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = words;
  const middle = (left + right - width) / 2;
  const above = top - height - GAP;
  words.style.left = `${Math.max(GAP, Math.min(middle, innerWidth - width - GAP))}px`;
  words.style.top = `${above > 0 ? above : bottom + GAP}px`;
}

function Words({
  id,
  target,
  clickThrough,
  onEnter,
  onLeave,
  onEscape,
  children,
}: {
  id: string;
  target: Element;
  clickThrough: boolean;
  onEnter(): void;
  onLeave(): void;
  onEscape(): void;
  children: ReactNode;
}) {
  const words = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = words.current;
    if (!box) return;
    // Chromium before 121 throws if it is already shown.
    if (!box.matches(':popover-open')) box.showPopover();
    place(box, target);
  });
  useEffect(() => {
    const onMove = () => words.current && place(words.current, target);
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && onEscape();
    addEventListener('resize', onMove);
    addEventListener('scroll', onMove, { capture: true, passive: true });
    document.addEventListener('keydown', onKey, { capture: true });
    return () => {
      removeEventListener('resize', onMove);
      removeEventListener('scroll', onMove, { capture: true });
      document.removeEventListener('keydown', onKey, { capture: true });
    };
  });
  useEffect(() => {
    // A label itself cannot have the focus, so its words describe the field.
    const field = target.querySelector('input');
    field?.setAttribute('aria-describedby', id);
    return () => field?.removeAttribute('aria-describedby');
  }, [target, id]);
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: it only keeps a click from what the control is in, such as a row
    <div
      ref={words}
      id={id}
      role="tooltip"
      popover="manual"
      data-portal=""
      className={cx(s.words, clickThrough && s.through)}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
      onClick={event => event.stopPropagation()}
    >
      {children}
    </div>,
    document.body,
  );
}
