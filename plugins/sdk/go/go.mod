module github.com/informerd/informerd/plugins/sdk/go

go 1.26.0
