// Vite's own declaration makes every class optional. A missing class shows in the browser immediately.
declare module '*.module.css' {
  const classes: Record<string, string>;
  export = classes;
}
