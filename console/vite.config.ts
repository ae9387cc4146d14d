import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'
import { mantineStyles } from './mantine-styles.ts'

/** Where a service runs that `npm run -w console dev` sends its requests to. */
const SERVICE = process.env['BASE_URL'] ?? 'http://localhost:8080'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), mantineStyles()],
  // Otherwise the server of `npm run dev` bundles Mantine without the plug-in.
  optimizeDeps: { exclude: ['@mantine/core'] },
  // The sdk is bundled as it is written, so it need not be built first.
  resolve: { conditions: ['@batua/source', ...defaultClientConditions] },
  // The service puts another nonce into each response.
  html: { cspNonce: 'NONCE_OF_THE_RESPONSE' },
  build: {
    // light-dark(), which an older target would replace by more CSS.
    target: ['chrome123', 'safari17.5', 'firefox121'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
  },
  server: {
    proxy: Object.fromEntries(['/api', '/v1', '/sandbox', '/console/now'].map(path => [path, SERVICE])),
  },
})
