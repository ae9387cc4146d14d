/* global BUILD, FILES -- console/make-dist.ts writes both above this line */

// Keeps the page and its files, so that the console opens without a network and then says so. It never stores a response
// of the API.
const PAGE = '/console'
const CACHE = `console-${BUILD}`

addEventListener('install', event => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then(cache => cache.addAll([PAGE, ...FILES]))
      .then(() => skipWaiting()),
  )
})

addEventListener('activate', event => {
  event.waitUntil(
    caches
      .keys()
      .then(names =>
        Promise.all(
          names.filter(name => name.startsWith('console-') && name !== CACHE).map(name => caches.delete(name)),
        ),
      ),
  )
})

addEventListener('fetch', event => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') event.respondWith(pageFor(request))
  else if (pathname.startsWith('/console/assets/')) event.respondWith(assetFor(request))
})

/** The network's page when there is a network, because each response has another nonce. */
async function pageFor(request) {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await caches.match(PAGE)
    if (kept === undefined) throw error
    return kept
  }
}

/** A file's name changes with its content, so a stored one is never old. */
async function assetFor(request) {
  const kept = await caches.match(request)
  if (kept !== undefined) return kept
  const response = await fetch(request)
  if (response.ok) await (await caches.open(CACHE)).put(request, response.clone())
  return response
}

/** What the service encrypted for this browser (docs/decisions/0059). It is shown whatever it is: a browser demands it. */
addEventListener('push', event => {
  const { id = 'batua', title = 'Batua', body = '', path = PAGE } = contentOf(event.data)
  event.waitUntil(
    registration.showNotification(title, {
      body,
      // One that came twice is shown once.
      tag: id,
      icon: '/console/icon-192.png',
      data: { path },
    }),
  )
})

function contentOf(data) {
  try {
    return data?.json() ?? {}
  } catch {
    return {}
  }
}

addEventListener('notificationclick', event => {
  const { notification } = event
  notification.close()
  event.waitUntil(openPage(notification.data?.path))
})

/** In the console that is open, or in a new window. Only pages of the console are opened. */
async function openPage(path) {
  const { origin, pathname, href } = new URL(path ?? PAGE, location.origin)
  const isPage = origin === location.origin && (pathname === PAGE || pathname.startsWith(`${PAGE}/`))
  const page = isPage ? href : PAGE
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = windows.find(({ url }) => new URL(url).pathname.startsWith(PAGE))
  if (open === undefined) return clients.openWindow(page)
  const moved = await open.navigate(page).catch(() => clients.openWindow(page))
  return moved?.focus()
}
