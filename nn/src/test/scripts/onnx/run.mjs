// Adds to the cases of make.py what ONNX Runtime computes.
//
//   npm install onnxruntime-node && node run.mjs cases.json OUT/cases.json.gz
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { createRequire } from 'node:module'
const ort = createRequire(import.meta.url)('onnxruntime-node')

const cases = JSON.parse(readFileSync(process.argv[2]))
const made = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, bool: Uint8Array }
for (const [name, one] of Object.entries(cases)) {
  try {
    const session = await ort.InferenceSession.create(Buffer.from(one.onnx, 'base64'))
    const feeds = {}
    for (const [key, t] of Object.entries(one.inputs)) {
      const data = t.type === 'int64' ? BigInt64Array.from(t.data.map(BigInt)) : made[t.type].from(t.data.map(Number))
      feeds[key] = new ort.Tensor(t.type, data, t.dims)
    }
    const results = await session.run(feeds)
    one.outputs = {}
    for (const [key, t] of Object.entries(results))
      one.outputs[key] = { dims: [...t.dims], data: [...t.data].map(Number) }
  } catch (e) {
    console.log(name, String(e.message).slice(0, 200))
    delete cases[name]
  }
}
writeFileSync(process.argv[3], gzipSync(JSON.stringify(cases), { level: 9 }))
console.log(Object.keys(cases).length, 'cases with values')
