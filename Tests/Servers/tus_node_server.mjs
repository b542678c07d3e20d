// A tus server: @tus/server at http://127.0.0.1:PORT/files, which stores in DIR.
//
// usage: node tus_node_server.mjs PORT DIR MODULES
//
// MODULES is the folder node_modules that has @tus/server and @tus/file-store. Prints "ready PORT" once it listens.
import { pathToFileURL } from 'node:url'

const [port, directory, modules] = process.argv.slice(2)
if (!modules) {
  console.error('usage: node tus_node_server.mjs PORT DIR MODULES')
  process.exit(64)
}
const load = (name) => import(pathToFileURL(`${modules}/@tus/${name}/dist/index.js`).href)
const { Server } = await load('server')
const { FileStore } = await load('file-store')
const server = new Server({ path: '/files', datastore: new FileStore({ directory }) })
server.listen({ host: '127.0.0.1', port: Number(port) }, () => console.log(`ready ${port}`))
// The server itself would wait for the connections to end.
process.on('SIGTERM', () => process.exit(0))
