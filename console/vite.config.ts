import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Everything is a file of its own origin: the pages run under a policy that allows nothing else.
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
});
