"""Compiles every kernel that bench wants to a cubin: gen.py OUTDIR NVCC (two at a time)."""
import os, re, subprocess, sys, concurrent.futures as cf
here = os.path.dirname(os.path.abspath(__file__)); out, nvcc = sys.argv[1], sys.argv[2]; os.makedirs(out, exist_ok=True)
subprocess.check_call(['g++', '-O1', '-DLIST_ONLY', '-o', out + '/list', here + '/bench.cpp'])
names = subprocess.check_output([out + '/list']).decode().split()
def build(n):
    form, lr, lc, pp, rows, mg = n.split('_'); cu = '%s/%s.cu' % (out, n); cubin = '%s/%s.cubin' % (out, n)
    d = dict(zip('LR1 LR2 LR3'.split(), lr)); d.update(LP=max(lr), LC=lc, PRE=pp[0], POST=pp[1], IN_ROWS=rows[0], OUT_ROWS=rows[1], MIN_GROUPS=mg)
    deps = max(os.path.getmtime(here + '/' + f) for f in ('ntt.cl', 'goldilocks_ntt.h', 'dialect.h'))
    if os.path.exists(cubin) and os.path.getmtime(cubin) > deps: return n, open(cubin[:-6] + '.log').read()
    open(cu, 'w').write('#define NTT_NAME pass_%s\n' % n + ''.join('#define NTT_%s %s\n' % kv for kv in d.items()) + '#include "ntt.cl"\n')
    r = subprocess.run([nvcc, '-arch=sm_90', '-cubin', '-Xptxas', '-v', '-I', here, '-o', cubin, cu] + (['-DNTT_FORM_DOUBLE'] if form == 'd' else []), capture_output=True, text=True)
    if r.returncode: print(n, r.stderr); sys.exit(1)
    t = r.stderr; i = t.index("'pass_"); regs = re.search(r'Used (\d+) registers', t[i:]).group(1); spill = re.search(r'(\d+) bytes spill stores', t[i:]).group(1)
    open(cubin[:-6] + '.log', 'w').write('%s regs %s spill' % (regs, spill)); return n, '%s regs %s spill' % (regs, spill)
with cf.ThreadPoolExecutor(2) as ex:
    for n, s in ex.map(build, names): print(n, s)
for f in os.listdir(out):
    if f.endswith('.cubin') and f[:-6] not in names: os.remove(out + '/' + f)
