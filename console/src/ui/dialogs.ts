// Dialogs and the print styles are loaded separately, because no page needs them at startup. See Dialog.tsx.
import '../print.css';

export { Drawer, Modal } from '@mantine/core';
