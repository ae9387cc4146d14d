import { MantineProvider } from '@mantine/core'
import '@mantine/core/styles/baseline.layer.css'
import '@mantine/core/styles/default-css-variables.layer.css'
import '@mantine/core/styles/global.layer.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Session } from './api/api.tsx'
import { createQueryClient } from './api/api.tsx'
import { LanguageProvider } from './language/language.tsx'
import { STARTS } from './login/back-to.ts'
import { router } from './router.tsx'
import './shell/global.css'
import { cssVariables, theme } from './shell/theme.ts'
import { SERVICE_WORKER, setTrustedTypesPolicy } from './trusted-types.ts'

setTrustedTypesPolicy()
const nonce = document.querySelector<HTMLElement>('[nonce]')?.nonce ?? ''
setNonce(nonce)

const queries = createQueryClient(logInAgain)

/** Leads to the login, which leads back here. */
function logInAgain(session: Session): void {
  const { pathname, search } = location
  const to = `${STARTS[session]}/login`
  if (pathname === to) return
  router.history.replace(
    `${to}?${new URLSearchParams({ back: JSON.stringify(pathname + search) }).toString()}`,
  )
}

// A page that was opened before a new version of the service asks for files that are gone. Where loading it again does not
// help (another node is still old, there is no network), the page says so instead of being loaded for ever.
const LOADED_AGAIN = 'batua-loaded-again'
const LOADED_AGAIN_EVERY_MS = 60_000
addEventListener('vite:preloadError', () => {
  if (Date.now() - Number(sessionStorage.getItem(LOADED_AGAIN)) < LOADED_AGAIN_EVERY_MS) return
  sessionStorage.setItem(LOADED_AGAIN, String(Date.now()))
  location.reload()
})

if (import.meta.env.PROD) {
  addEventListener('load', () => {
    void navigator.serviceWorker?.register(SERVICE_WORKER, { scope: '/console' })
  })
}

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <LanguageProvider>
          <QueryClientProvider client={queries}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </LanguageProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
