// Closed-loop load on etcd, like loadgen.c: N connections, each creates its key if it does not exist, then deletes it.
// usage: etcd-load ENDPOINT,ENDPOINT,... CONNS SECONDS
// prints: ops/s p50_us p99_us p999_us errors     (op = one create plus one delete: two committed transactions)
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

func main() {
	endpoints := strings.Split(os.Args[1], ",")
	conns, _ := strconv.Atoi(os.Args[2])
	seconds, _ := strconv.ParseFloat(os.Args[3], 64)
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	var mutex sync.Mutex
	var all []int64
	errors := 0
	var group sync.WaitGroup
	for i := 0; i < conns; i++ {
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoints[i%len(endpoints)]}, DialTimeout: 5 * time.Second})
		if err != nil {
			panic(err)
		}
		group.Add(1)
		go func(id int) {
			defer group.Done()
			defer client.Close()
			key := fmt.Sprintf("key-%d", id)
			var took []int64
			failed := 0
			for time.Now().Before(end) {
				start := time.Now()
				_, err := client.Txn(context.Background()).
					If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
					Then(clientv3.OpPut(key, "held")).Commit()
				if err == nil {
					_, err = client.Delete(context.Background(), key)
				}
				if err != nil {
					failed++
					continue
				}
				took = append(took, time.Since(start).Microseconds())
			}
			mutex.Lock()
			all = append(all, took...)
			errors += failed
			mutex.Unlock()
		}(i)
	}
	group.Wait()
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	at := func(q float64) int64 {
		if len(all) == 0 {
			return 0
		}
		return all[int(q*float64(len(all)-1))]
	}
	fmt.Printf("%.0f %d %d %d %d\n", float64(len(all))/seconds, at(0.5), at(0.99), at(0.999), errors)
}
