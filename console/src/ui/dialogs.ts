// What no page needs at startup has a separate script and styles: dialogs, and the print styles. See Dialog.tsx.
import '../print.css';

export { Drawer, Modal } from '@mantine/core';
